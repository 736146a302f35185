/** A labelled field of a form. */
import { type ComponentProps, type ReactNode, useId } from "react"
import { Select } from "./Select.tsx"

interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly children: (props: {
    readonly id: string
    readonly "aria-describedby": string | undefined
  }) => ReactNode
}

const Field = ({ children, hint, label }: FieldProps) => {
  const id = useId()
  const hintId = hint === undefined ? undefined : `${id}-hint`
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({ id, "aria-describedby": hintId })}
      {hint === undefined ? null : (
        <p id={hintId} className="text-muted text-xs">
          {hint}
        </p>
      )}
    </div>
  )
}

interface TextFieldProps extends ComponentProps<"input"> {
  readonly label: string
  readonly hint?: ReactNode
}

/** A labelled input; other properties are those of `<input>`. */
export const TextField = ({ className = "", hint, label, ...input }: TextFieldProps) => (
  <Field label={label} hint={hint}>
    {(props) => <input className={`field w-full ${className}`} {...props} {...input} />}
  </Field>
)

interface SelectFieldProps extends ComponentProps<"select"> {
  readonly label: string
  readonly hint?: ReactNode
}

/** A labelled choice; other properties are those of `<select>`. */
export const SelectField = ({ children, hint, label, ...select }: SelectFieldProps) => (
  <Field label={label} hint={hint}>
    {(props) => (
      <Select look="form" className="w-full" {...props} {...select}>
        {children}
      </Select>
    )}
  </Field>
)
