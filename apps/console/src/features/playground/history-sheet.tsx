import { Download, Trash2 } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { fileName, saveFile } from '../../lib/download.ts'
import { useLocale, useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { formatRelative } from '../../lib/time.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { DataText } from '../../ui/data-text.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { asMarkdown, type Conversation, titleOf } from './conversation.ts'
import { forget, type KeptTitle, listKept } from './history.ts'

interface HistorySheetProps {
  readonly account: number
  /** Changes whenever a conversation was stored. */
  readonly keptCount: number
  /** The open one. */
  readonly conversation: Conversation
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onOpen: (id: string | null) => void
}

/** The conversations that this browser keeps. */
export function HistorySheet({ account, keptCount, conversation, isOpen, onClose, onOpen }: HistorySheetProps) {
  const t = useT()
  const { rows, remove } = useKept(account, isOpen ? keptCount : -1)
  const [isAsking, setAsking] = useState(false)
  return (
    <Sheet title={t('playground.history')} side="right" isOpen={isOpen} onClose={onClose}>
      <p className="mb-3 text-sm text-muted">{t('playground.history.note')}</p>
      <Exports conversation={conversation} />
      {rows.length === 0 ? (
        <EmptyState title={t('playground.history.none')} />
      ) : (
        <>
          <ul className="divide-y rounded-sm border">
            {rows.map((row) => (
              <Row key={row.id} row={row} isCurrent={row.id === conversation.id} onOpen={onOpen} onRemove={() => void remove([row.id])} />
            ))}
          </ul>
          <div className="mt-3">
            <Button look="danger" size="sm" onClick={() => setAsking(true)}>
              {t('playground.history.clear')}
            </Button>
          </div>
        </>
      )}
      <ConfirmDialog
        title={t('playground.history.clear.title')}
        text={t('playground.history.clear.text')}
        confirmLabel={t('action.delete')}
        isOpen={isAsking}
        onCancel={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false)
          void remove(rows.map(({ id }) => id))
          onOpen(null)
        }}
      />
    </Sheet>
  )
}

/** @param version changes whenever the list must be read again; -1 = it is not shown */
function useKept(account: number, version: number) {
  const [rows, setRows] = useState<readonly KeptTitle[]>([])
  const read = useCallback(async () => {
    // Without a database there is no history.
    setRows(await listKept(account).catch(() => []))
  }, [account])
  useEffect(() => {
    if (version >= 0) void read()
  }, [read, version])
  const remove = async (ids: readonly string[]) => {
    await forget(ids).catch(() => undefined)
    await read()
  }
  return { rows, remove }
}

interface RowProps {
  readonly row: KeptTitle
  readonly isCurrent: boolean
  readonly onOpen: (id: string) => void
  readonly onRemove: () => void
}

function Row({ row, isCurrent, onOpen, onRemove }: RowProps) {
  const t = useT()
  const locale = useLocale()
  const title = row.title || t('playground.untitled')
  return (
    <li className={cx('flex items-center gap-1 pr-1', isCurrent && 'bg-accent-tint')}>
      <button
        type="button"
        aria-current={isCurrent || undefined}
        onClick={() => onOpen(row.id)}
        className="min-h-11 min-w-0 flex-1 px-3 py-2 text-left -outline-offset-2 hover:bg-hover"
      >
        <DataText text={title} />
        <span className="block truncate text-sm text-muted">
          <bdi title={row.models.join(', ')}>{row.models.join(', ')}</bdi> ·{' '}
          {formatRelative(row.updatedMs / 1_000, { nowMs: Date.now(), locale })}
        </span>
      </button>
      <IconButton label={t('playground.history.remove', { title })} onClick={onRemove}>
        <Trash2 aria-hidden className="size-4" />
      </IconButton>
    </li>
  )
}

/** The open conversation as a file. */
function Exports({ conversation }: { readonly conversation: Conversation }) {
  const t = useT()
  if (conversation.turns.length === 0) return null
  const name = fileName(titleOf(conversation) || t('playground.title'))
  const words = { user: t('playground.you'), system: t('playground.system') }
  return (
    <div className="mb-3 flex flex-wrap gap-2">
      <Button size="sm" onClick={() => saveFile(`${name}.md`, new Blob([asMarkdown(conversation, words)], { type: 'text/markdown' }))}>
        <Download aria-hidden className="size-4 text-muted" />
        {t('playground.export.markdown')}
      </Button>
      <Button
        size="sm"
        onClick={() => saveFile(`${name}.json`, new Blob([JSON.stringify(conversation, null, 2)], { type: 'application/json' }))}
      >
        <Download aria-hidden className="size-4 text-muted" />
        {t('playground.export.json')}
      </Button>
    </div>
  )
}
