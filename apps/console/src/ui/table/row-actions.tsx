import { Link } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { Fragment } from 'react'
import { useT } from '../../lib/t.ts'
import { IconButton, iconButtonClass } from '../button.tsx'
import { Menu, MenuGroup, MenuItem, MenuLink, MenuSeparator } from '../menu.tsx'
import { Tooltip } from '../tooltip.tsx'
import { actionGroups } from './action-groups.ts'
import type { ActAction, RowAction } from './actions.ts'

interface RowActionsProps {
  readonly name: string
  readonly actions: readonly RowAction[]
  readonly onRun: (action: ActAction) => void
}

/** The end of a row: the most common actions, and a menu with the others. */
export function RowActions({ name, actions, onRun }: RowActionsProps) {
  const inline = actions.filter(({ isInline }) => isInline)
  const others = actions.filter(({ isInline }) => !isInline)
  return (
    <div className="flex items-center justify-end gap-0.5">
      {inline.map((action) => (
        <InlineAction key={action.id} name={name} action={action} onRun={onRun} />
      ))}
      {others.length === 0 ? null : <RowMenu name={name} actions={others} onRun={onRun} />}
    </div>
  )
}

interface InlineActionProps extends Omit<RowActionsProps, 'actions'> {
  readonly action: RowAction
}

function InlineAction({ name, action, onRun }: InlineActionProps) {
  const t = useT()
  const { icon: Icon, isBusy = false, isDisabled = false } = action
  const label = t('action.of', { action: action.label, name })
  if ('link' in action) {
    return (
      <Tooltip text={label}>
        <Link {...action.link} aria-label={label} className={iconButtonClass}>
          <Icon aria-hidden className="size-4" />
        </Link>
      </Tooltip>
    )
  }
  return (
    <IconButton label={label} isBusy={isBusy} disabled={isDisabled} onClick={() => onRun(action)}>
      <Icon aria-hidden className="size-4" />
    </IconButton>
  )
}

/** The actions of a row that have no button of their own. */
export function RowMenu({ name, actions, onRun }: RowActionsProps) {
  const t = useT()
  return (
    <Menu
      trigger={
        <button type="button" aria-label={t('action.more.of', { name })} className={iconButtonClass}>
          <Ellipsis aria-hidden className="size-4" />
        </button>
      }
    >
      {actionGroups(actions).map(({ name: group, actions: members }, index) => (
        <Fragment key={members[0]?.id}>
          {index === 0 ? null : <MenuSeparator />}
          <MenuGroup label={group}>
            {members.map((action) => (
              <RowMenuItem key={action.id} action={action} onRun={onRun} />
            ))}
          </MenuGroup>
        </Fragment>
      ))}
    </Menu>
  )
}

function RowMenuItem({ action, onRun }: Omit<InlineActionProps, 'name'>) {
  const { icon: Icon, label, isBusy = false, isDisabled = false, isDangerous = false } = action
  const icon = <Icon aria-hidden />
  if ('link' in action) {
    return (
      <MenuLink {...action.link} icon={icon}>
        {label}
      </MenuLink>
    )
  }
  return (
    <MenuItem icon={icon} isDangerous={isDangerous} isDisabled={isDisabled || isBusy} onClick={() => onRun(action)}>
      {label}
    </MenuItem>
  )
}
