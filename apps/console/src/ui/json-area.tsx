import type { ComponentProps } from 'react'
import { useT } from '../lib/t.ts'
import { Textarea } from './input.tsx'
import { jsonFault } from './json-fault.ts'

interface JsonAreaProps extends Omit<ComponentProps<'textarea'>, 'onChange' | 'value'> {
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A JSON editor that shows the position of an error, and formats the text. */
export function JsonArea({ value, onChange, ...rest }: JsonAreaProps) {
  const t = useT()
  const isEmpty = value.trim() === ''
  const fault = isEmpty ? null : jsonFault(value)
  return (
    <div>
      <Textarea {...rest} value={value} onChange={(event) => onChange(event.target.value)} className="min-h-32 font-mono text-sm" />
      <div className="mt-1 flex items-start justify-between gap-3 text-sm">
        <span role="status" className="text-red">
          {fault === null ? '' : t('field.json.error', { line: fault.line, column: fault.column })}
        </span>
        <button
          type="button"
          disabled={fault !== null || isEmpty}
          onClick={() => onChange(prettyJson(value))}
          className="min-h-6 shrink-0 rounded-sm text-accent hover:underline disabled:text-faint disabled:no-underline touch:min-h-11"
        >
          {t('field.json.format')}
        </button>
      </div>
    </div>
  )
}

/** Two spaces per level; invalid JSON is unchanged. */
export function prettyJson(text: string): string {
  return text.trim() === '' || jsonFault(text) !== null ? text.trim() : JSON.stringify(JSON.parse(text), null, 2)
}
