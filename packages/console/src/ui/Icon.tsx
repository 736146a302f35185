/** Line drawings on a grid of 16, in the colour of the text. They repeat what a text says, and are hidden from screen readers. */
const paths = {
  home: "M2.5 7 8 2.5 13.5 7v6.5h-4V10h-3v3.5h-4z",
  leads:
    "M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5c.3-2.6 2-4 4.5-4s4.200 1.400 4.500 4M10.500 2.800a2.300 2.300 0 0 1 0 4.400M12 9.800c1.500.500 2.400 1.700 2.600 3.700",
  live: "M1.500 8.500h2.800L6.500 3l3 10 2-4.500h3",
  chart: "M2.500 13.500h11M4.500 11.500V8M8 11.500V3.500M11.500 11.500V6",
  import: "M8 10.500V2.500M4.800 5.500 8 2.300l3.200 3.200M2.500 10.500v3h11v-3",
  download: "M8 2.500v8M4.800 7.300 8 10.500l3.200-3.200M2.500 10.500v3h11v-3",
  signal:
    "M8 9.200a1.200 1.200 0 1 0 0-2.400 1.200 1.200 0 0 0 0 2.400zM5 11a4.200 4.200 0 0 1 0-6M11 5a4.200 4.200 0 0 1 0 6M3 13a7 7 0 0 1 0-10M13 3a7 7 0 0 1 0 10",
  key: "M5.500 12a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM7.700 7 13 2.500M11 4.200l1.800 2M9.200 5.700l1.300 1.500",
  webhook:
    "M5 7.500 7.200 4A2.500 2.500 0 1 1 10 4.800M8 5.200l2.600 4.600a2.500 2.500 0 1 1-1.300 3M9 12.500H4.900a2.500 2.500 0 1 1-.8-3.600",
  operator:
    "M8 8a2.700 2.700 0 1 0 0-5.400A2.700 2.700 0 0 0 8 8zM3 13.500c.3-2.600 2.200-3.800 5-3.800s4.700 1.200 5 3.800z",
  log: "M3.500 2.500h9v11h-9zM5.800 5.500h4.400M5.800 8h4.400M5.800 10.500h2.600",
  search: "M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9zM10.300 10.300l3.400 3.400",
  close: "M3.500 3.500l9 9M12.500 3.500l-9 9",
  check: "M3 8.500l3.300 3.300L13 4.800",
  copy: "M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3",
  down: "M4 6l4 4 4-4",
  left: "M10 3.500 5.500 8l4.500 4.500",
  right: "M6 3.500 10.500 8 6 12.500",
  up: "M4 10l4-4 4 4",
  terminal: "M2 3h12v10H2zM4.500 6l2 2-2 2M8.500 10h3",
  theme: "M8 13.500a5.500 5.500 0 1 0 0-11zM8 2.500a5.500 5.500 0 0 0 0 11",
  menu: "M2.500 4h11M2.500 8h11M2.500 12h11",
  plus: "M8 3v10M3 8h10",
  more: "M3.500 8h.01M8 8h.01M12.500 8h.01",
  out: "M9.500 3H3v10h6.500M6.500 8h7M11 5.300 13.700 8 11 10.700",
  help: "M6 6a2 2 0 1 1 2.700 1.900c-.5.200-.7.600-.7 1.200v.400M8 12v.200",
  external: "M9 2.500h4.500V7M13.500 2.500 7.500 8.500M11.500 9.500v4h-9v-9h4",
  columns: "M2.500 3h11v10h-11zM6.200 3v10M9.800 3v10",
  alert: "M8 2.500 14.500 13.500h-13zM8 6.500v3.500M8 11.800v.200",
  send: "M2.500 8 13.500 2.800 10.500 13.200 7.500 9z",
  trash: "M2.500 4.500h11M6 4.500v-2h4v2M4 4.500l.6 9h6.800l.6-9",
  play: "M5 3v10l7.500-5z",
  pause: "M5.500 3.500v9M10.500 3.500v9",
  step: "M4 3.500v9l6-4.500zM12 3.500v9",
  stepBack: "M12 3.500v9L6 8zM4 3.500v9",
  flask: "M6.500 2.500v4L3 12.500q-.3 1 .8 1h8.400q1.100 0 .8-1L9.500 6.500v-4M5.500 2.500h5M4.800 10h6.400",
  book: "M8 4Q5.500 2.500 2.500 3v9.500Q5.500 12 8 13.500 10.500 12 13.500 12.500V3Q10.500 2.500 8 4zM8 4v9.500",
  retry: "M13 8a5 5 0 1 1-1.700-3.800M13.200 2v3h-3"
} as const

/** One of the drawings above. */
export type IconName = keyof typeof paths

/** 16 px, unless `className` says another size. */
export const Icon = ({
  className = "size-4",
  name
}: {
  readonly name: IconName
  readonly className?: string
}) => (
  <svg
    viewBox="0 0 16 16"
    className={`${className} shrink-0`}
    fill="none"
    stroke="currentColor"
    strokeWidth="1.4"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d={paths[name]} />
  </svg>
)
