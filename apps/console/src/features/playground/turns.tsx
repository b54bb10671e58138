import type { ModelRow, TokenRow } from '@sluice/contract'
import { Check, FileText, MessagesSquare, Pencil, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-field.tsx'
import { DataText } from '../../ui/data-text.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Textarea } from '../../ui/input.tsx'
import { CompletionView } from './completion-view.tsx'
import type { Attachment, Conversation, Turn } from './conversation.ts'
import type { RunningConversation } from './use-conversation.ts'
import { filled } from './variables.ts'

interface TurnsProps {
  readonly conversation: Conversation
  readonly tokens: readonly TokenRow[]
  readonly models: readonly ModelRow[]
  readonly running: RunningConversation
}

/** Distance from the end of the page within which it follows what arrives. */
const followWithin = 120

/** All prompts with their responses; the page follows the newest as long as the reader is at its end. */
export function Turns({ conversation, tokens, models, running }: TurnsProps) {
  const { turns } = conversation
  const end = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { scrollHeight, scrollTop, clientHeight } = document.documentElement
    if (turns.length > 0 && scrollHeight - scrollTop - clientHeight < followWithin) end.current?.scrollIntoView({ block: 'end' })
  }, [turns])
  if (turns.length === 0)
    return <Nothing hasModels={models.length > 0} onAsk={(text) => running.send(text, [])} conversation={conversation} />
  return (
    <div className="flex-1 space-y-5 pb-4">
      {turns.map((turn, index) => (
        <TurnView
          key={turn.id}
          turn={turn}
          isLast={index === turns.length - 1}
          conversation={conversation}
          running={running}
          tokens={tokens}
          models={models}
        />
      ))}
      {/* As high as the field below, which stands above the end of the page. */}
      <div ref={end} className="h-px scroll-mb-40" />
    </div>
  )
}

const ideas = ['playground.idea.1', 'playground.idea.2', 'playground.idea.3'] as const

interface NothingProps {
  readonly hasModels: boolean
  readonly conversation: Conversation
  readonly onAsk: (text: string) => void
}

function Nothing({ hasModels, conversation, onAsk }: NothingProps) {
  const t = useT()
  const isReady = conversation.models.every((name) => name !== '')
  return (
    <div className="flex flex-1 items-center justify-center pb-4">
      <EmptyState
        icon={<MessagesSquare />}
        title={t('playground.empty')}
        text={t(!hasModels ? 'playground.empty.models' : isReady ? 'playground.empty.text' : 'playground.empty.choose')}
        action={
          isReady
            ? ideas.map((key) => (
                <Button key={key} onClick={() => onAsk(t(key))}>
                  {t(key)}
                </Button>
              ))
            : undefined
        }
      />
    </div>
  )
}

interface TurnViewProps extends TurnsProps {
  readonly turn: Turn
  readonly isLast: boolean
}

const columns = ['grid-cols-1', 'lg:grid-cols-2', 'lg:grid-cols-2 2xl:grid-cols-3'] as const

function TurnView({ turn, isLast, conversation, running, tokens, models }: TurnViewProps) {
  const lanes = conversation.models.length
  return (
    <article className="space-y-3">
      <Prompt turn={turn} onEdit={(text) => running.edit(turn.id, text)} />
      <div className={cx('grid items-start gap-3', columns[lanes - 1])}>
        {turn.answers.map((completions, lane) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a lane is its place
          <div key={lane} className="min-w-0 space-y-3">
            {completions.map((completion, step) => (
              <CompletionView
                // biome-ignore lint/suspicious/noArrayIndexKey: completions of a lane follow each other
                key={step}
                completion={completion}
                lane={lanes === 1 ? null : lane + 1}
                speech={{ tokens, tokenId: conversation.tokenId, models }}
                onRetry={isLast && step === completions.length - 1 ? () => running.retry(lane) : null}
                onResults={isLast && step === completions.length - 1 ? (results) => running.responseCalls(lane, results) : null}
              />
            ))}
          </div>
        ))}
      </div>
    </article>
  )
}

interface PromptProps {
  readonly turn: Turn
  readonly onEdit: (text: string) => void
}

function Prompt({ turn, onEdit }: PromptProps) {
  const t = useT()
  const [draft, setDraft] = useState<string | null>(null)
  const { text, values, attachments } = turn
  const prompt = filled(text, values)
  if (draft !== null) {
    return (
      <div className="space-y-2 rounded-md border bg-surface p-3">
        <Textarea
          aria-label={t('playground.prompt.edit')}
          autoFocus
          rows={4}
          spellCheck
          value={draft}
          onChange={({ target }) => setDraft(target.value)}
        />
        <div className="flex flex-wrap gap-2">
          <Button
            look="primary"
            size="sm"
            disabled={draft.trim() === '' && attachments.length === 0}
            onClick={() => {
              setDraft(null)
              onEdit(draft)
            }}
          >
            <Check aria-hidden className="size-4" />
            {t('playground.prompt.again')}
          </Button>
          <Button size="sm" onClick={() => setDraft(null)}>
            <X aria-hidden className="size-4 text-muted" />
            {t('action.cancel')}
          </Button>
        </div>
      </div>
    )
  }
  return (
    <div className="group flex items-start justify-between gap-3 rounded-md bg-accent-tint px-4 py-3 touch:py-1">
      <div className="min-w-0 flex-1 touch:py-3">
        <h2 className="sr-only">{t('playground.you')}</h2>
        <Attachments attachments={attachments} />
        <p dir="auto" className="whitespace-pre-wrap [overflow-wrap:anywhere]">
          {prompt}
        </p>
      </div>
      <div className="-my-1 -mr-2 flex shrink-0 touch:my-0">
        <CopyButton text={prompt} label={t('playground.prompt.copy')} />
        <IconButton label={t('playground.prompt.edit')} onClick={() => setDraft(text)}>
          <Pencil aria-hidden className="size-4" />
        </IconButton>
      </div>
    </div>
  )
}

function Attachments({ attachments }: { readonly attachments: readonly Attachment[] }) {
  if (attachments.length === 0) return null
  return (
    <ul className="mb-2 flex flex-wrap gap-2">
      {attachments.map((attachment, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: attachments of a sent prompt do not change
        <li key={index} className="min-w-0">
          {attachment.kind === 'picture' ? (
            <img src={attachment.data} alt={attachment.name} className="h-24 max-w-48 rounded-sm border object-cover" />
          ) : (
            <span className="inline-flex max-w-full items-center gap-1.5 rounded-sm border bg-surface px-2 py-1 text-sm">
              <FileText aria-hidden className="size-4 shrink-0 text-muted" />
              <DataText text={attachment.name} />
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
