import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react'
import { useT } from '../../lib/t.ts'
import { useAlone } from '../../lib/use-alone.ts'
import { useIsTouch } from '../../lib/use-media.ts'
import { useSendsOnEnter } from '../../lib/use-sends-on-enter.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Textarea } from '../../ui/input.tsx'
import { CodeResults } from './code-results.tsx'
import { codesMax, readCodes } from './redeem-codes.ts'
import { useRedeem } from './use-redeem.ts'

/** One code or up to twenty. Those that were redeemed leave the field; the others stay. */
export function RedeemForm() {
  const t = useT()
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const { redeem, rows, isBusy } = useRedeem()
  const isSending = useSendsOnEnter()
  const isTouch = useIsTouch()
  const submit = useAlone(async () => {
    const codes = readCodes(text)
    const fault = codes.length === 0 ? t('topup.missing') : codes.length > codesMax ? t('topup.tooMany', { max: codesMax }) : undefined
    setError(fault)
    if (fault !== undefined) return field.current?.focus()
    const left = await redeem(codes)
    setText(left.map(({ code }) => code).join('\n'))
    const [first] = left
    setError(left.length === 1 && first?.result.kind === 'refused' ? first.result.text : undefined)
    if (left.length > 0) field.current?.focus()
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void submit()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (!isSending(event)) return
    event.preventDefault()
    event.currentTarget.form?.requestSubmit()
  }
  return (
    <form onSubmit={onSubmit} noValidate className="rounded-md border bg-surface">
      <div className="space-y-3 p-4">
        <Field label={t('topup.codes')} hint={t(isTouch ? 'topup.codes.hint.touch' : 'topup.codes.hint', { max: codesMax })} error={error}>
          {(control) => (
            <Textarea
              {...control}
              ref={field}
              name="codes"
              rows={Math.min(8, Math.max(2, text.split('\n').length))}
              value={text}
              autoComplete="off"
              autoCapitalize="none"
              readOnly={isBusy}
              onChange={({ target }) => {
                setText(target.value)
                setError(undefined)
              }}
              onKeyDown={onKeyDown}
              className="min-h-0 resize-y font-mono"
            />
          )}
        </Field>
        <Button type="submit" look="primary" isBusy={isBusy}>
          {t('topup.redeem')}
        </Button>
      </div>
      <CodeResults rows={rows} isBusy={isBusy} />
    </form>
  )
}
