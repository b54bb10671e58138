import type { ModelRow, TokenRow } from '@sluice/contract'
import { Link } from '@tanstack/react-router'
import { ArrowUpRight, Loader2, RotateCcw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { group } from '../../lib/quota.ts'
import { useT } from '../../lib/t.ts'
import { Alert } from '../../ui/alert.tsx'
import { Badge } from '../../ui/badge.tsx'
import { IconButton, iconButtonClass } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-field.tsx'
import { MarkdownText } from '../../ui/markdown-text.tsx'
import { QuotaText } from '../../ui/table/column-builders.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'
import type { Completion } from './conversation.ts'
import { ReadAloud } from './read-aloud.tsx'
import { ToolCalls } from './tool-calls.tsx'

interface CompletionViewProps {
  readonly completion: Completion
  /** Its number among those side by side; `null` = it is the only one. */
  readonly lane: number | null
  readonly speech: { readonly tokens: readonly TokenRow[]; readonly tokenId: number; readonly models: readonly ModelRow[] }
  /** `null` = only the newest completion can be retried. */
  readonly onRetry: (() => void) | null
  /** Goes on with the results of the functions; `null` = the conversation has gone on already. */
  readonly onResults: ((results: Readonly<Record<string, string>>) => void) | null
}

export function CompletionView({ completion, lane, speech, onRetry, onResults }: CompletionViewProps) {
  const t = useT()
  const { model, state, text, calls, error } = completion
  const isRunning = state === 'running'
  const isEmpty = text === '' && calls.length === 0 && error === ''
  return (
    <section
      aria-label={t('playground.answer', { model })}
      aria-busy={isRunning}
      {...(!isRunning && { 'data-answer': '' })}
      className="rounded-md border bg-surface"
    >
      <header className="flex min-h-9 items-center justify-between gap-2 border-b py-1 pr-1 pl-4">
        <h3 className="min-w-0 truncate font-mono text-sm" title={model}>
          {lane === null ? null : <span className="mr-2 text-muted">{lane}</span>}
          {model}
        </h3>
        <div className="flex shrink-0 items-center gap-1">
          {state === 'stopped' ? <Badge tone="yellow">{t('playground.stopped')}</Badge> : null}
          {isRunning ? null : <Actions completion={completion} speech={speech} onRetry={onRetry} />}
        </div>
      </header>
      <div className="px-4 py-3">
        <Reasoning completion={completion} />
        {text === '' ? null : <MarkdownText text={text} />}
        {isRunning && isEmpty ? (
          <p role="status" className="flex items-center gap-2 text-muted">
            <Loader2 aria-hidden className="size-4 animate-spin" />
            {t('playground.waiting')}
          </p>
        ) : null}
        {state === 'done' && isEmpty ? <p className="text-muted">{t('playground.answer.none')}</p> : null}
        {calls.length === 0 ? null : <ToolCalls completion={completion} onResults={onResults} />}
        {error === '' ? null : (
          <div className="mt-2">
            <Alert kind="error">{error}</Alert>
          </div>
        )}
        {state === 'done' && completion.finishReason === 'length' ? (
          <div className="mt-2">
            <Alert kind="warning">{t('playground.cut')}</Alert>
          </div>
        ) : null}
      </div>
      {isRunning ? null : <Figures completion={completion} />}
    </section>
  )
}

/** The model's reasoning; open while nothing else has arrived. */
function Reasoning({ completion: { reasoning, text, state } }: Pick<CompletionViewProps, 'completion'>) {
  const t = useT()
  const [isOpen, setOpen] = useState<boolean | null>(null)
  if (reasoning === '') return null
  return (
    <details
      open={isOpen ?? (text === '' && state === 'running')}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="mb-2 rounded-sm bg-sunken px-3 py-1.5 text-sm text-muted"
    >
      <summary className="min-h-6 cursor-pointer touch:min-h-11 touch:content-center">{t('playground.reasoning')}</summary>
      <p dir="auto" className="mt-1 max-h-80 overflow-y-auto whitespace-pre-wrap [overflow-wrap:anywhere] thin-scroll">
        {reasoning}
      </p>
    </details>
  )
}

function Actions({ completion, speech, onRetry }: Omit<CompletionViewProps, 'lane' | 'onResults'>) {
  const t = useT()
  const { model, text, requestId } = completion
  return (
    <>
      {text === '' ? null : <ReadAloud text={text} name={model} {...speech} />}
      {text === '' ? null : <CopyButton text={text} label={t('playground.answer.copy', { model })} />}
      {requestId === '' ? null : (
        <Tooltip text={t('playground.log')}>
          <Link to="/log" search={{ request: requestId }} aria-label={t('playground.log')} className={iconButtonClass}>
            <ArrowUpRight aria-hidden className="size-4" />
          </Link>
        </Tooltip>
      )}
      {onRetry === null ? null : (
        <IconButton label={t('playground.retry', { model })} onClick={onRetry}>
          <RotateCcw aria-hidden className="size-4" />
        </IconButton>
      )}
    </>
  )
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)

/** Tokens, cost and durations; nothing that is not known. */
function Figures({ completion }: Pick<CompletionViewProps, 'completion'>) {
  const t = useT()
  const { usage, quota, firstMs, totalMs } = completion
  const speed = tokensPerSecond(completion)
  if (usage === null && quota === null && firstMs === null) return null
  return (
    <dl className="flex flex-wrap gap-x-4 gap-y-1 border-t px-4 py-2 text-sm text-muted tabular">
      {usage === null ? null : (
        <Figure label={t('playground.tokens')} value={`${group(usage.promptTokens)} → ${group(usage.completionTokens)}`} />
      )}
      {quota === null ? null : <Figure label={t('playground.cost')} value={<QuotaText quota={quota} />} />}
      {firstMs === null ? null : <Figure label={t('playground.first')} value={t('time.seconds', { seconds: seconds(firstMs) })} />}
      {totalMs === null ? null : <Figure label={t('playground.total')} value={t('time.seconds', { seconds: seconds(totalMs) })} />}
      {speed === null ? null : <Figure label={t('playground.speed')} value={t('playground.speed.value', { speed })} />}
    </dl>
  )
}

function Figure({ label, value }: { readonly label: string; readonly value: ReactNode }) {
  return (
    <div className="flex gap-1.5">
      <dt>{label}</dt>
      <dd className="text-text">{value}</dd>
    </div>
  )
}

/** Below this, the duration says more of the network than of the model. */
const writingMsMin = 200

/** How fast the output was written once it had begun; `null` = unknown. */
function tokensPerSecond({ usage, firstMs, totalMs }: Completion): string | null {
  if (usage === null || firstMs === null || totalMs === null || totalMs - firstMs < writingMsMin) return null
  return ((usage.completionTokens * 1_000) / (totalMs - firstMs)).toFixed(0)
}
