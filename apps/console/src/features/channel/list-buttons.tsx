import { channel } from '@sluice/contract'
import { Ellipsis, FileDown, FileUp, PauseCircle, Trash2, Wallet, Waypoints, Zap } from 'lucide-react'
import { useState } from 'react'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall } from '../../lib/use-call.ts'
import { useIsPhone } from '../../lib/use-media.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Menu, MenuItem, MenuLink, MenuSeparator } from '../../ui/menu.tsx'
import { NewLink } from '../../ui/new-link.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import type { ChannelTransfer } from './use-channel-transfer.tsx'
import type { ChannelWorkView } from './use-channel-work.ts'

interface ListButtonsProps {
  readonly run: ChannelWorkView
  readonly refresh: () => void
  readonly transfer: Pick<ChannelTransfer, 'openExport' | 'openImport'>
}

/** What can be done with all channels, and the button for a new one. Phones have the new one and a menu. */
export function ListButtons({ run, refresh, transfer }: ListButtonsProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const [isAsking, setAsking] = useState(false)
  const remove = useCall(channel.removeDisabled, {
    onDone: (count) => {
      showToast('success', t('channel.deleteDisabled.done', { count }))
      refresh()
    },
  })
  const buttons = [
    { id: 'testAll', icon: Zap, label: t('channel.testAll'), isBusy: run.isBusy, act: () => run.start('testAll') },
    { id: 'testDisabled', icon: PauseCircle, label: t('channel.testDisabled'), isBusy: run.isBusy, act: () => run.start('testDisabled') },
    { id: 'deleteDisabled', icon: Trash2, label: t('channel.deleteDisabled'), isBusy: remove.isPending, act: () => setAsking(true) },
  ] as const
  return (
    <>
      {isPhone
        ? null
        : buttons.map(({ id, icon: Icon, label, isBusy, act }) => (
            <Button key={id} isBusy={isBusy} onClick={act}>
              {isBusy ? null : <Icon aria-hidden className="size-4 text-muted" />}
              {label}
            </Button>
          ))}
      <Menu
        trigger={
          <button type="button" aria-label={t('channel.more')} className={buttonClass({}, 'px-2')}>
            <Ellipsis aria-hidden className="size-4" />
          </button>
        }
      >
        <MenuLink to="/channel/route" icon={<Waypoints aria-hidden />}>
          {t('channel.why')}
        </MenuLink>
        <MenuSeparator />
        {isPhone
          ? buttons.map(({ id, icon: Icon, label, isBusy, act }) => (
              <MenuItem key={id} icon={<Icon aria-hidden />} isDisabled={isBusy} onClick={act}>
                {label}
              </MenuItem>
            ))
          : null}
        {isPhone ? <MenuSeparator /> : null}
        <MenuItem icon={<Wallet aria-hidden />} isDisabled={run.isBusy} onClick={() => run.start('balances')}>
          {t('channel.balances')}
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={<FileDown aria-hidden />} onClick={transfer.openExport}>
          {t('channel.export')}
        </MenuItem>
        <MenuItem icon={<FileUp aria-hidden />} onClick={transfer.openImport}>
          {t('channel.import')}
        </MenuItem>
      </Menu>
      <NewChannel />
      <ConfirmDialog
        title={t('channel.deleteDisabled.title')}
        text={t('channel.deleteDisabled.text')}
        confirmLabel={t('action.delete')}
        isOpen={isAsking}
        onCancel={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false)
          remove.mutate({})
        }}
      />
    </>
  )
}

export function NewChannel() {
  const t = useT()
  return <NewLink to="/channel/add" label={t('channel.new')} />
}

/** How far the run is that goes over the channels. */
export function WorkProgress({ work }: Pick<ChannelWorkView, 'work'>) {
  const t = useT()
  if (work === null || work.work === '') return null
  const { done, total, failed } = work
  return (
    <div className="mb-3 flex items-center gap-3 rounded-md border bg-surface px-3 py-2 text-sm">
      <span role="status" className="tabular">
        {t(failed === 0 ? `channel.work.${work.work}` : `channel.work.${work.work}.failing`, { done, total, failed })}
      </span>
      <ProgressBar label={t('channel.work')} value={done} max={Math.max(1, total)} />
    </div>
  )
}
