import { Link } from '@tanstack/react-router'
import { useIsPhone } from '../../lib/use-media.ts'
import { Button, buttonClass } from '../button.tsx'
import { ConfirmDialog } from '../dialog.tsx'
import type { ActAction, RowAction } from './actions.ts'
import { RowMenu } from './row-actions.tsx'
import { useRowRunner } from './use-row-runner.ts'

interface SheetActionsProps {
  readonly id: number
  /** Of the row. */
  readonly name: string
  readonly actions: readonly RowAction[]
  /** Closes the sheet, before an action that removes the row. */
  readonly close: () => void
}

/** Further actions are in a menu. */
const mostButtons = 4
/** Most characters of three labels that share one row of a phone with the menu. Chinese characters are twice as wide. */
const lettersMax = 24

/** The actions of a row in its sheet: the first ones as buttons, and a menu with the others if there are many. */
export function SheetActions({ id, name, actions, close }: SheetActionsProps) {
  const { run, pending } = useRowRunner()
  const onRun = (chosen: ActAction) => run(id, chosen.isDangerous === true ? closingFirst(chosen, close) : chosen)
  const buttonCount = useButtonCount(actions)
  const others = actions.slice(buttonCount)
  return (
    <div className="flex flex-wrap items-center gap-2 max-sm:gap-1.5">
      {actions.slice(0, buttonCount).map((action) => (
        <SheetAction key={action.id} action={action} onRun={onRun} />
      ))}
      {others.length === 0 ? null : <RowMenu name={name} actions={others} onRun={onRun} />}
      {pending === null ? null : (
        <ConfirmDialog
          title={pending.title}
          text={pending.text}
          extra={pending.extra}
          confirmLabel={pending.label}
          isOpen={pending.isOpen}
          onConfirm={pending.yes}
          onCancel={pending.no}
        />
      )}
    </div>
  )
}

/** How many actions are buttons; on phones one less if their labels are too long for one row. */
function useButtonCount(actions: readonly RowAction[]): number {
  const isPhone = useIsPhone()
  if (actions.length <= mostButtons) return actions.length
  const most = mostButtons - 1
  const letters = actions.slice(0, most).reduce((sum, action) => sum + widthOf(labelOf(action)), 0)
  return isPhone && letters > lettersMax ? most - 1 : most
}

const widthOf = (text: string): number => text.length + (text.match(/\p{Script=Han}/gu)?.length ?? 0)

/** Without the heading that a menu has, the name of its group belongs to the label. */
const labelOf = ({ group, label }: RowAction): string => (group === undefined ? label : `${group} ${label}`)

/** Otherwise the open sheet would load the removed row. */
function closingFirst(action: ActAction, close: () => void): ActAction {
  const act = () => {
    close()
    return action.act()
  }
  return { ...action, act }
}

/** Three buttons and the menu share one row of a phone. */
const narrow = 'max-sm:px-2!'

function SheetAction({ action, onRun }: { readonly action: RowAction; readonly onRun: (action: ActAction) => void }) {
  const { icon: Icon, isBusy = false, isDisabled = false, isDangerous = false } = action
  const label = labelOf(action)
  const icon = <Icon aria-hidden className={isDangerous ? 'size-4' : 'size-4 text-muted'} />
  if ('link' in action) {
    return (
      <Link {...action.link} className={buttonClass({ size: 'sm' }, narrow)}>
        {icon}
        {label}
      </Link>
    )
  }
  return (
    <Button
      size="sm"
      look={isDangerous ? 'danger' : 'secondary'}
      isBusy={isBusy}
      disabled={isDisabled}
      onClick={() => onRun(action)}
      className={narrow}
    >
      {isBusy ? null : icon}
      {label}
    </Button>
  )
}
