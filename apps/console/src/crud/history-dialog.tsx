import { type ChangeRow, channel, type InputOf, option } from '@sluice/contract'
import { History } from 'lucide-react'
import { useState } from 'react'
import { useT } from '../lib/t.ts'
import { formatTime } from '../lib/time.ts'
import { showToast } from '../lib/toasts.ts'
import { useCall, useRead } from '../lib/use-call.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { prettyJson } from '../ui/json-area.tsx'
import { ReadGate } from '../ui/read-gate.tsx'
import { TextDifference } from '../ui/text-difference.tsx'

/** What the history is of, with the name that people know it by. */
export type HistoryOf =
  | { readonly option: string; readonly name: string }
  /** `memberName`: the label of a member in the form. */
  | { readonly channel: number; readonly name: string; readonly memberName: (member: string) => string }

interface HistoryDialogProps {
  readonly of: HistoryOf
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** The last changes of an option or a channel; each can be undone, which is a change of its own. */
export function HistoryDialog({ of, isOpen, onClose }: HistoryDialogProps) {
  const t = useT()
  return (
    <Dialog title={t('history.title', { name: of.name })} isOpen={isOpen} onClose={onClose}>
      {'option' in of ? <OptionHistory of={of} isOpen={isOpen} /> : <ChannelHistory of={of} isOpen={isOpen} />}
    </Dialog>
  )
}

interface PartProps<Of extends HistoryOf> {
  readonly of: Of
  readonly isOpen: boolean
}

function OptionHistory({ of, isOpen }: PartProps<Extract<HistoryOf, { readonly option: string }>>) {
  const read = useRead(option.history, { input: { key: of.option }, isEnabled: isOpen, isSilent: true })
  const { mutateAsync: send } = useCall(option.update)
  return (
    <ReadGate read={read} isPart>
      {(changes) => (
        <Changes changes={changes} memberName={null} restore={({ before }) => send({ key: of.option, value: String(before['value']) })} />
      )}
    </ReadGate>
  )
}

function ChannelHistory({ of, isOpen }: PartProps<Extract<HistoryOf, { readonly channel: number }>>) {
  const read = useRead(channel.history, { input: { id: of.channel }, isEnabled: isOpen, isSilent: true })
  const { mutateAsync: send } = useCall(channel.update)
  return (
    <ReadGate read={read} isPart>
      {(changes) => (
        <Changes
          changes={changes}
          memberName={of.memberName}
          // Holds: the history has members of a row, which the call takes back as they were shown.
          restore={({ before }) => send({ ...before, id: of.channel } as InputOf<typeof channel.update>)}
        />
      )}
    </ReadGate>
  )
}

interface ChangesProps {
  readonly changes: readonly ChangeRow[]
  /** `null` = there is one, and it is the title. */
  readonly memberName: ((member: string) => string) | null
  readonly restore: (change: ChangeRow) => Promise<unknown>
}

function Changes({ changes, memberName, restore }: ChangesProps) {
  const t = useT()
  const [running, setRunning] = useState(0)
  if (changes.length === 0) return <EmptyState icon={<History />} title={t('history.none')} text={t('history.none.text')} />
  async function undo(change: ChangeRow): Promise<void> {
    setRunning(change.id)
    try {
      await restore(change)
      showToast('success', t('history.restored'))
    } catch {
      // The call itself reports a refusal.
    } finally {
      setRunning(0)
    }
  }
  return (
    <ul className="divide-y">
      {changes.map((change) => (
        <li key={change.id} className="space-y-2 py-3 first:pt-0">
          <div className="flex flex-wrap items-center justify-between gap-2">
            <p className="text-sm">
              <span className="tabular">{formatTime(change.created_at)}</span> <span className="text-muted">{change.changed_by}</span>
            </p>
            {Object.keys(change.before).length === 0 ? null : (
              <Button size="sm" isBusy={running === change.id} disabled={running !== 0} onClick={() => void undo(change)}>
                {t('history.restore')}
              </Button>
            )}
          </div>
          {Object.keys(change.after).map((member) => (
            <div key={member}>
              {memberName === null ? null : <p className="mb-1 text-sm font-medium">{memberName(member)}</p>}
              <TextDifference before={textOf(change.before[member])} after={textOf(change.after[member])} />
            </div>
          ))}
          {change.hidden.length === 0 ? null : <p className="text-sm text-muted">{t('history.hidden')}</p>}
        </li>
      ))}
    </ul>
  )
}

/** Lists with commas and JSON as lines, so that only what differs is shown. */
function textOf(value: ChangeRow['before'][string] | undefined): string {
  const text = String(value ?? '')
  if (/^[[{]/.test(text)) return prettyJson(text)
  return /^[^\s,]+(?:,[^\s,]+)+$/.test(text) ? text.replaceAll(',', '\n') : text
}
