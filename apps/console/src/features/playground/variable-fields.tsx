import { useT } from '../../lib/t.ts'
import { Field } from '../../ui/field.tsx'
import { Textarea } from '../../ui/input.tsx'
import type { Variables } from './variables.ts'

interface VariableFieldsProps {
  readonly names: readonly string[]
  readonly values: Variables
  readonly onChange: (values: Variables) => void
}

/** A field for each variable of the prompts that are about to be sent. */
export function VariableFields({ names, values, onChange }: VariableFieldsProps) {
  const t = useT()
  if (names.length === 0) return null
  return (
    // On a phone two fields and a part of the third, so that one sees that there are more.
    <fieldset className="max-h-60 overflow-y-auto border-b max-sm:max-h-48 px-2 pb-2 thin-scroll">
      <legend className="sr-only">{t('playground.variables')}</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {names.map((name) => (
          <Field key={name} label={name}>
            {(control) => (
              <Textarea
                {...control}
                rows={1}
                spellCheck
                placeholder={t('playground.variables.empty', { name: `{{${name}}}` })}
                value={Object.hasOwn(values, name) ? values[name] : ''}
                onChange={({ target }) => onChange({ ...values, [name]: target.value })}
                className="max-h-32 min-h-8! field-sizing-content touch:min-h-11!"
              />
            )}
          </Field>
        ))}
      </div>
    </fieldset>
  )
}
