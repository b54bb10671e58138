import { log } from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, explain } from '../../lib/api.ts'
import { markChanged } from '../../lib/reads.ts'
import { useT } from '../../lib/t.ts'
import { formatTime, parseTime } from '../../lib/time.ts'
import { showToast } from '../../lib/toasts.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { TimeInput } from '../../ui/time-input.tsx'

/** What is offered at first: rows older than thirty days (specification, section 9). */
const offeredSeconds = 30 * 86_400

/** Deleting many rows takes longer than other calls. */
const cleaningMs = 600_000

export function LogCleaning() {
  const t = useT()
  const client = useQueryClient()
  const [text, setText] = useState(() => formatTime(Math.floor(Date.now() / 1000) - offeredSeconds))
  const [pendingTime, setPendingTime] = useState<number | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const time = parseTime(text)
  const clean = async (target_timestamp: number) => {
    setPendingTime(null)
    setFailure(undefined)
    setBusy(true)
    try {
      const count = await call(log.remove, { target_timestamp }, { timeoutMs: cleaningMs })
      showToast('success', t('setting.clean.done', { count }))
      markChanged(client, log.remove)
    } catch (error) {
      const why = explain(error)
      if (why === null) return
      const message = t('setting.clean.failed', { message: why.text })
      setFailure(message)
      showToast('error', message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (time !== null && time > 0) setPendingTime(time)
      }}
    >
      <h3 className="mb-2 font-semibold">{t('setting.clean.title')}</h3>
      <Field
        label={t('setting.clean.before')}
        hint={t('setting.clean.hint')}
        error={time === null || time <= 0 ? t('setting.clean.error') : failure}
      >
        {(control) => (
          <div className="flex flex-wrap gap-2">
            <div className="w-64 max-w-full">
              <TimeInput
                {...control}
                value={text}
                onChange={(next) => {
                  setText(next)
                  setFailure(undefined)
                }}
              />
            </div>
            <Button type="submit" look="danger" isBusy={isBusy}>
              {t('setting.clean.button')}
            </Button>
          </div>
        )}
      </Field>
      <ConfirmDialog
        title={t('setting.clean.ask', { time: formatTime(pendingTime ?? time ?? 0) })}
        text={t('setting.clean.ask.text')}
        confirmLabel={t('setting.clean.button')}
        isOpen={pendingTime !== null}
        onConfirm={() => void clean(pendingTime ?? 0)}
        onCancel={() => setPendingTime(null)}
      />
    </form>
  )
}
