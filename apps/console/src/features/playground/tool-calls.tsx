import { useState } from 'react'
import { useT } from '../../lib/t.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Field } from '../../ui/field.tsx'
import { Textarea } from '../../ui/input.tsx'
import { prettyJson } from '../../ui/json-area.tsx'
import type { Completion } from './conversation.ts'

interface ToolCallsProps {
  readonly completion: Completion
  /** `null` = the conversation has gone on already. */
  readonly onResults: ((results: Readonly<Record<string, string>>) => void) | null
}

/** The functions that a model calls; the reader says what they return. */
export function ToolCalls({ completion, onResults }: ToolCallsProps) {
  const t = useT()
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const { calls, results, state } = completion
  const hasResults = calls.every(({ id }) => results[id] !== undefined)
  const mayReturnResults = onResults !== null && state === 'done' && !hasResults
  return (
    <div className="mt-2 space-y-3">
      {calls.map(({ id, name, arguments: input }) => (
        <div key={id}>
          <p className="font-medium">
            {t('playground.call')} <code className="font-mono text-sm">{name}</code>
          </p>
          <CodeBlock code={prettyJson(input === '' ? '{}' : input)} language="json" />
          {results[id] === undefined ? null : (
            <>
              <p className="text-sm text-muted">{t('playground.call.result')}</p>
              <CodeBlock code={results[id]} language="" />
            </>
          )}
          {mayReturnResults ? (
            <Field label={t('playground.call.result.of', { name })}>
              {(control) => (
                <Textarea
                  {...control}
                  rows={2}
                  value={typed[id] ?? ''}
                  onChange={({ target }) => setTyped({ ...typed, [id]: target.value })}
                />
              )}
            </Field>
          ) : null}
        </div>
      ))}
      {mayReturnResults ? (
        <Button look="primary" size="sm" onClick={() => onResults(Object.fromEntries(calls.map(({ id }) => [id, typed[id] ?? ''])))}>
          {t('playground.call.send')}
        </Button>
      ) : null}
    </div>
  )
}
