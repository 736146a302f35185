/** 24 px, unless `className` says another size. Hidden from screen readers: the name stands beside it. */
export const Logo = ({ className = "size-6" }: { readonly className?: string }) => (
  <svg viewBox="0 0 16 16" className={`${className} text-accent shrink-0`} aria-hidden="true">
    <circle cx="8" cy="8" r="3" fill="currentColor" />
    <path d="M3 3a7 7 0 0 0 0 10M13 3a7 7 0 0 1 0 10" fill="none" stroke="currentColor" strokeWidth="1.5" />
  </svg>
)
