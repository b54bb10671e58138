import { ArrowUp, ChevronDown, FileText, Paperclip, Square, X } from 'lucide-react'
import { type ClipboardEvent, type DragEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { showToast } from '../../lib/toasts.ts'
import { useIsTouch } from '../../lib/use-media.ts'
import { useSendsOnEnter } from '../../lib/use-sends-on-enter.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { DataList, DataText } from '../../ui/data-text.tsx'
import { Textarea, useFileChooser } from '../../ui/input.tsx'
import { acceptedFiles, toAttachment } from './attach.ts'
import type { Attachment } from './conversation.ts'
import { Dictate, type DictateProps } from './dictate.tsx'

interface ComposerProps {
  readonly text: string
  readonly onText: (next: (now: string) => string) => void
  /** Fields of the variables that are sent along. */
  readonly variables: ReactNode
  readonly isRunning: boolean
  /** A model waits for the results of functions. */
  readonly isWaiting: boolean
  /** Those that respond; an empty name = it is not chosen yet. */
  readonly models: readonly string[]
  /** Opens their choice; `null` = it is on the page. */
  readonly onModels: (() => void) | null
  readonly hasModel: boolean
  /** Number of parameters that cannot be sent. */
  readonly faults: number
  readonly speechToText: Omit<DictateProps, 'onText'>
  readonly onSend: (text: string, attachments: readonly Attachment[]) => void
  readonly onStop: () => void
}

/** The prompt. On a keyboard Enter sends it and Shift+Enter begins a line; files are chosen, pasted or dropped. */
export function Composer(props: ComposerProps) {
  const { text, onText, variables, isRunning, isWaiting, models, onModels, hasModel, faults, speechToText, onSend, onStop } = props
  const t = useT()
  const { attachments, add, remove, clear } = useAttachments()
  const chooser = useFileChooser({
    accept: acceptedFiles,
    label: t('playground.attach'),
    isMultiple: true,
    onFiles: (files) => void add(files),
  })
  const field = useRef<HTMLTextAreaElement>(null)
  const isSending = useSendsOnEnter()
  const isTouch = useIsTouch()
  const reason = blocked({ hasModel, isWaiting, faults })
  const isEmpty = text.trim() === '' && attachments.length === 0
  const send = () => {
    if (isEmpty || isRunning || reason !== null) return
    onSend(text, attachments)
    onText(() => '')
    clear()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isSending(event)) return
    event.preventDefault()
    send()
  }
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files]
    if (files.length === 0) return
    event.preventDefault()
    void add(files)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files are dropped here; the button does the same by keyboard
    <div
      onDragOver={(event: DragEvent) => event.preventDefault()}
      onDrop={(event: DragEvent) => {
        event.preventDefault()
        void add([...event.dataTransfer.files])
      }}
      className="sticky bottom-0 z-10 -mx-1 bg-canvas px-1 pt-1 pb-3"
    >
      <div className="rounded-md border border-control bg-surface p-2 focus-within:border-accent">
        {variables}
        <Chosen attachments={attachments} onRemove={remove} />
        <Textarea
          ref={field}
          aria-label={t('playground.prompt')}
          placeholder={t(isTouch ? 'playground.prompt.touch' : 'playground.prompt.placeholder')}
          rows={2}
          spellCheck
          value={text}
          onChange={({ target }) => onText(() => target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          className="max-h-72 min-h-12 resize-none border-transparent px-2 field-sizing-content hover:border-transparent focus-visible:border-transparent focus-visible:outline-none"
        />
        <div className="flex items-center justify-between gap-2">
          <div className="flex min-w-0 items-center">
            <IconButton label={t('playground.attach')} onClick={chooser.open}>
              <Paperclip aria-hidden className="size-4" />
            </IconButton>
            {chooser.input}
            <Dictate
              {...speechToText}
              onText={(spoken) => {
                onText((now) => (now === '' ? spoken : `${now} ${spoken}`))
                field.current?.focus()
              }}
            />
            {onModels === null ? null : <ModelButton models={models} onClick={onModels} />}
          </div>
          <div className="flex min-w-0 shrink-0 items-center gap-3">
            {/* On phones the button says that no model is chosen. */}
            <span role="status" className={cx('min-w-0 truncate text-sm text-muted', onModels !== null && !hasModel && 'sr-only')}>
              {reason === null ? '' : t(reason, { count: faults })}
            </span>
            {isRunning ? (
              <Button onClick={onStop}>
                <Square aria-hidden className="size-3.5 fill-current" />
                {t('playground.stop')}
              </Button>
            ) : (
              <Button look="primary" disabled={isEmpty || reason !== null} onClick={send}>
                <ArrowUp aria-hidden className="size-4" />
                {t('playground.send')}
              </Button>
            )}
          </div>
        </div>
      </div>
    </div>
  )
}

/** Who responds: on phones the choice is in a sheet. */
function ModelButton({ models, onClick }: { readonly models: readonly string[]; readonly onClick: () => void }) {
  const t = useT()
  const names = models.filter((name) => name !== '')
  return (
    <Button size="sm" look="quiet" className="min-w-0 shrink!" onClick={onClick}>
      <span className="sr-only">{t('playground.model')}</span>
      {names.length === 0 ? (
        t('playground.model.choose')
      ) : (
        <span title={names.join(', ')} className="truncate">
          <DataList names={names} />
        </span>
      )}
      <ChevronDown aria-hidden className="size-4 shrink-0" />
    </Button>
  )
}

/** Why a prompt cannot be sent now; `null` = it can. */
function blocked({ hasModel, isWaiting, faults }: Pick<ComposerProps, 'hasModel' | 'isWaiting' | 'faults'>) {
  if (!hasModel) return 'playground.blocked.model'
  if (faults > 0) return 'playground.blocked.faults'
  return isWaiting ? 'playground.blocked.results' : null
}

function useAttachments() {
  const t = useT()
  const [attachments, set] = useState<readonly Attachment[]>([])
  const add = async (files: readonly File[]) => {
    for (const file of files) {
      const attachment = await toAttachment(file)
      if (typeof attachment === 'string') showToast('error', t(`playground.attach.${attachment}`, { name: file.name }))
      else set((now) => [...now, attachment])
    }
  }
  return {
    attachments,
    add,
    remove: (index: number) => set((now) => now.filter((_, place) => place !== index)),
    clear: () => set([]),
  }
}

interface ChosenProps {
  readonly attachments: readonly Attachment[]
  readonly onRemove: (index: number) => void
}

function Chosen({ attachments, onRemove }: ChosenProps) {
  const t = useT()
  if (attachments.length === 0) return null
  return (
    <ul className="flex flex-wrap gap-2 px-1 pb-2">
      {attachments.map((attachment, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may be the same
        <li key={index} className="flex items-center gap-1.5 rounded-sm border bg-sunken py-0.5 pr-0.5 pl-2 text-sm">
          {attachment.kind === 'picture' ? (
            <img src={attachment.data} alt="" className="size-6 rounded-sm object-cover" />
          ) : (
            <FileText aria-hidden className="size-4 text-muted" />
          )}
          <DataText text={attachment.name} className="max-w-40" />
          <IconButton label={t('playground.attach.remove', { name: attachment.name })} onClick={() => onRemove(index)}>
            <X aria-hidden className="size-4" />
          </IconButton>
        </li>
      ))}
    </ul>
  )
}
