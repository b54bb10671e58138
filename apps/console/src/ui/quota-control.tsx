import { Controller } from 'react-hook-form'
import { QuotaInput, type QuotaInputProps } from './quota-input.tsx'

interface QuotaControlProps extends Pick<QuotaInputProps, 'control' | 'isDisabled' | 'placeholder'> {
  /** The field of the form around it. */
  readonly name: string
}

/** A `QuotaInput` as a field of a form. Apart from it, because lists use the input without the library of forms. */
export function QuotaControl({ name, ...rest }: QuotaControlProps) {
  return (
    <Controller
      name={name}
      render={({ field: { ref, value, onChange, onBlur } }) => <QuotaInput {...rest} {...{ value, onChange, onBlur }} inputRef={ref} />}
    />
  )
}
