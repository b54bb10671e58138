import { type OptionDetail, type OptionKey, optionRow } from '@sluice/contract'
import { CircleAlert } from 'lucide-react'
import { memo, type ReactNode, useState } from 'react'
import { HistoryButton } from '../../crud/history-button.tsx'
import { formatQuota, group } from '../../lib/quota.ts'
import { useSession } from '../../lib/session.ts'
import { useMoney, useStatus } from '../../lib/status.ts'
import { isMessageKey, useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { formatTime } from '../../lib/time.ts'
import { Badge } from '../../ui/badge.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Switch } from '../../ui/toggle.tsx'
import { UnreadableBadge } from '../../ui/unreadable-badge.tsx'
import { OptionControl } from './option-control.tsx'
import { type Draft, displayValue } from './option-values.ts'

interface OptionFieldProps {
  readonly optionKey: OptionKey
  readonly stored: string
  readonly draft: Draft | undefined
  readonly error: string | undefined
  readonly detail: OptionDetail | undefined
  /** The address names this option. */
  readonly isTarget: boolean
  /** The value of a switch that is being saved. */
  readonly saving: string | undefined
  readonly onDraft: (key: OptionKey, draft: Draft | undefined) => void
  readonly onToggle: (key: OptionKey, isOn: boolean) => void
}

/** One option. It renders again only if it changes itself, because texts of prices are long. */
export const OptionField = memo(function OptionField(props: OptionFieldProps) {
  const t = useT()
  const { isRoot } = useSession()
  const { optionKey, isTarget } = props
  const { control, isRootOnly = false } = optionRow(optionKey)
  const isLocked = isRootOnly && !isRoot
  return (
    <div
      id={optionKey}
      data-option={optionKey}
      className={cx('scroll-mt-16 rounded-sm', isTarget && 'outline-2 outline-offset-8 outline-accent/60')}
    >
      <fieldset disabled={isLocked} className="min-w-0">
        {control === 'switch' ? <SwitchField {...props} /> : <TypedField {...props} />}
      </fieldset>
      {isLocked ? <p className="mt-1 text-xs text-muted">{t('setting.rootOnly')}</p> : null}
    </div>
  )
})

function TypedField({ optionKey, stored, draft, error, detail, onDraft }: OptionFieldProps) {
  const fieldValue = displayValue(optionKey, stored)
  const { secret } = optionRow(optionKey)
  const value = draft === undefined ? (secret ? '' : fieldValue) : draft
  return (
    <>
      <Field
        label={<OptionLabel optionKey={optionKey} detail={detail} />}
        hint={<Help optionKey={optionKey} />}
        error={error}
        aside={<UnitHelp optionKey={optionKey} text={value ?? ''} />}
      >
        {(control) => (
          <OptionControl
            optionKey={optionKey}
            control={control}
            value={value}
            detail={detail}
            onChange={(next) => onDraft(optionKey, next === (secret ? '' : fieldValue) ? undefined : next)}
          />
        )}
      </Field>
      <Notes optionKey={optionKey} stored={stored} detail={detail} inForce={error === undefined || secret ? null : fieldValue} />
    </>
  )
}

/** Saves at once. A refused change shows the stored state again, with the reason. */
function SwitchField({ optionKey, stored, error, detail, saving, onToggle }: OptionFieldProps) {
  const t = useT()
  const [isAsking, setAsking] = useState(false)
  const isOn = stored === 'true'
  const toggle = (next: boolean) => {
    if (optionRow(optionKey).confirmsOff === true && !next) setAsking(true)
    else onToggle(optionKey, next)
  }
  return (
    <>
      <Switch
        label={<OptionLabel optionKey={optionKey} detail={detail} />}
        hint={<Help optionKey={optionKey} />}
        isOn={saving === undefined ? isOn : saving === 'true'}
        onChange={toggle}
      />
      <div className="pl-11.5">
        {error === undefined ? null : <SwitchError text={error} />}
        <Notes optionKey={optionKey} stored={stored} detail={detail} inForce={error === undefined ? null : inForceOf(isOn)} />
      </div>
      <ConfirmDialog
        title={t('setting.passwordOff.title')}
        text={t('setting.passwordOff.text')}
        confirmLabel={t('setting.passwordOff.confirm')}
        isOpen={isAsking}
        onConfirm={() => {
          setAsking(false)
          onToggle(optionKey, false)
        }}
        onCancel={() => setAsking(false)}
      />
    </>
  )

  function inForceOf(on: boolean): string {
    return t(on ? 'setting.inForce.on' : 'setting.inForce.off')
  }
}

/** Some texts name the address of this server. */
function Help({ optionKey }: { readonly optionKey: OptionKey }): ReactNode {
  const t = useT()
  const { server_address } = useStatus()
  return t(`option.${optionKey}.help`, { server: server_address ?? '' })
}

function SwitchError({ text }: { readonly text: string }) {
  return (
    <p role="alert" className="mt-1 flex items-start gap-1.5 text-sm text-red">
      <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      {text}
    </p>
  )
}

function OptionLabel({ optionKey, detail }: Pick<OptionFieldProps, 'optionKey' | 'detail'>) {
  const t = useT()
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      {t(`option.${optionKey}`)}
      {detail === undefined ? null : <UnreadableBadge row={{ unreadable: detail.is_unreadable ? [optionKey] : [] }} />}
      {detail?.waits === true ? (
        <Badge tone="yellow" shape="half">
          {t('setting.waits')}
        </Badge>
      ) : null}
    </span>
  )
}

/** A typed amount in the other unit. */
function UnitHelp({ optionKey, text }: { readonly optionKey: OptionKey; readonly text: string }): ReactNode {
  const t = useT()
  const { quotaPerUnit } = useMoney()
  const { unit } = optionRow(optionKey)
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number)) return null
  if (unit === 'quota') return t('setting.unit.quota', { money: formatQuota(number, { quotaPerUnit, inCurrency: true }) })
  return unit === 'quotaPerDollar' ? t('setting.unit.quotaPerDollar', { quota: group(number) }) : null
}

/** A proposed value is shown to whoever proposed it and to root. */
function WaitingNote({ detail }: { readonly detail: OptionDetail }) {
  const t = useT()
  if (!detail.is_pending) return <p>{t('setting.waits.text')}</p>
  const value = detail.pending_value === '' ? '' : t('setting.pending.value', { value: detail.pending_value })
  return (
    <p className="break-all">
      {t('setting.pending.text')} {value}
    </p>
  )
}

interface NotesProps extends Pick<OptionFieldProps, 'optionKey' | 'stored' | 'detail'> {
  /** The stored value, if the typed one was refused. */
  readonly inForce: string | null
}

/** Small print: what is still in force, what takes effect later, who changed it. */
function Notes({ optionKey, stored, detail, inForce }: NotesProps) {
  const t = useT()
  const { theme } = useStatus()
  const isLater = optionRow(optionKey).atNextStart === true && theme !== undefined && theme !== stored
  const now = `choice.${optionKey}.${theme ?? ''}`
  return (
    <div className="space-y-0.5 text-xs text-muted not-empty:mt-1">
      {inForce === null ? null : <p className="line-clamp-2 break-all">{t('setting.inForce', { value: inForce || t('diff.empty') })}</p>}
      {isLater ? <p>{t('setting.atNextStart', { value: isMessageKey(now) ? t(now) : theme })}</p> : null}
      {detail?.waits === true && optionRow(optionKey).isRootOnly !== true ? <WaitingNote detail={detail} /> : null}
      {detail === undefined || detail.changed_by === '' ? null : (
        <p className="wrap-anywhere">
          {t('setting.changedBy', { name: detail.changed_by, time: formatTime(detail.changed_at) })}{' '}
          <HistoryButton of={{ option: optionKey, name: t(`option.${optionKey}`) }} isSmall />
        </p>
      )}
    </div>
  )
}
