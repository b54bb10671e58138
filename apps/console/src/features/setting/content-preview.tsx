import { type InputOf, option } from '@sluice/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call, explain } from '../../lib/api.ts'
import { onceOptions } from '../../lib/reads.ts'
import { useT } from '../../lib/t.ts'
import { SanitizedHtml } from '../../ui/sanitized-html.tsx'

/** How long nothing is typed before the preview follows. */
const pauseMs = 400

interface ContentPreviewProps {
  readonly kind: InputOf<typeof option.preview>['kind']
  readonly text: string
}

/** What visitors will see: rendered by the server, which does the same for them, and sanitized here once more. */
export function ContentPreview({ kind, text }: ContentPreviewProps) {
  const t = useT()
  const settled = useSettled(text)
  const input = { kind, text: settled }
  const { data, error } = useQuery({
    ...onceOptions(option.preview, input, ({ signal }) => call(option.preview, input, { signal })),
    enabled: settled.trim() !== '',
    placeholderData: keepPreviousData,
    gcTime: 10_000,
    meta: { failure: 'silent' },
  })
  if (text.trim() === '') return null
  const why = error === null ? null : explain(error)
  return (
    <div className="mt-2 rounded-sm border border-dashed">
      <p className="border-b border-dashed px-2.5 py-1 text-xs font-medium text-muted">{t('setting.preview')}</p>
      <div data-preview className="max-h-80 overflow-auto p-2.5 thin-scroll">
        {why === null ? (
          <Rendered html={data ?? ''} />
        ) : (
          <p className="text-sm text-red">{t('setting.preview.failed', { message: why.text })}</p>
        )}
      </div>
    </div>
  )
}

function Rendered({ html }: { readonly html: string }) {
  const t = useT()
  if (html === '') return <p className="text-sm text-muted">{t('setting.preview.empty')}</p>
  if (/^https?:\/\/\S+$/.test(html)) return <p className="break-all">{t('setting.preview.frame', { address: html })}</p>
  return <SanitizedHtml html={html} />
}

/** A value after it has not changed for a while. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
