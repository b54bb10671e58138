import type { ChannelRow } from '@sluice/contract'
import { Link } from '@tanstack/react-router'
import { Copy, KeyRound, Pencil, Zap } from 'lucide-react'
import { HistoryButton } from '../../crud/history-button.tsx'
import { useSession } from '../../lib/session.ts'
import { useT } from '../../lib/t.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { channelMemberName } from './member-name.ts'
import { hasSingleKey, mayEdit } from './use-channel-actions.ts'
import type { ChannelTest } from './use-channel-test.ts'

interface SheetButtonsProps {
  readonly row: ChannelRow
  readonly test: ChannelTest
  readonly onNewKey: () => void
}

/** The most common actions on the channel of the sheet. */
export function SheetButtons({ row, test, onNewKey }: SheetButtonsProps) {
  const t = useT()
  const { isRoot } = useSession()
  const isTesting = test.isTesting(row.id)
  const history = <HistoryButton of={{ channel: row.id, name: row.name, memberName: (member) => channelMemberName(member, t) }} />
  if (!mayEdit(row, isRoot)) return history
  return (
    <>
      <Link to="/channel/edit/$id" params={{ id: String(row.id) }} className={buttonClass({ size: 'sm' })}>
        <Pencil aria-hidden className="size-4 text-muted" />
        {t('action.edit')}
      </Link>
      <Button size="sm" isBusy={isTesting} onClick={() => void test.run(row)}>
        {isTesting ? null : <Zap aria-hidden className="size-4 text-muted" />}
        {t('channel.test')}
      </Button>
      {hasSingleKey(row) ? (
        <Button size="sm" onClick={onNewKey}>
          <KeyRound aria-hidden className="size-4 text-muted" />
          {t('channel.newKey')}
        </Button>
      ) : null}
      <Link to="/channel/add" search={{ from: String(row.id) }} className={buttonClass({ size: 'sm' })}>
        <Copy aria-hidden className="size-4 text-muted" />
        {t('channel.copy')}
      </Link>
      {history}
    </>
  )
}
