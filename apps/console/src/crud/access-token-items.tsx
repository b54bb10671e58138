import type { AccessTokenRow, SystemTokenRow } from '@sluice/contract'
import { type ReactNode, useState } from 'react'
import { useT } from '../lib/t.ts'
import { formatTime } from '../lib/time.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { useScopeText } from './scope-texts.ts'

interface PersonalTokenItemProps {
  readonly row: AccessTokenRow
  readonly isBusy: boolean
  readonly onRevoke: () => void
}

/** A personal access token: what it allows, how long, and its last use. */
export function PersonalTokenItem({ row, isBusy, onRevoke }: PersonalTokenItemProps) {
  const t = useT()
  const scopeText = useScopeText()
  const { name, scopes, expired_time, used_time } = row
  const isOver = expired_time !== -1 && expired_time * 1000 <= Date.now()
  return (
    <TokenItem
      title={
        <>
          <span dir="auto" className="min-w-0 [overflow-wrap:anywhere]">
            {name}
          </span>
          {isOver ? <Badge tone="yellow">{t('accessTokens.over')}</Badge> : null}
        </>
      }
      scopes={scopes.map(scopeText).join(' · ')}
      since={expired_time === -1 ? t('accessTokens.never') : t('accessTokens.until', { time: formatTime(expired_time) })}
      usedTime={used_time}
      name={name}
      question={t('accessTokens.revoke.title', { name })}
      isBusy={isBusy}
      onRevoke={onRevoke}
    />
  )
}

interface SystemTokenItemProps {
  readonly system: NonNullable<SystemTokenRow>
  readonly isBusy: boolean
  readonly onRevoke: () => void
}

export function SystemTokenItem({ system: { created_time, used_time }, isBusy, onRevoke }: SystemTokenItemProps) {
  const t = useT()
  const name = t('accessTokens.system')
  return (
    <TokenItem
      title={name}
      scopes={t('accessTokens.system.scope')}
      since={created_time === 0 ? '' : t('accessTokens.created', { time: formatTime(created_time) })}
      usedTime={used_time}
      name={name}
      question={t('accessTokens.revoke.system')}
      isBusy={isBusy}
      onRevoke={onRevoke}
    />
  )
}

interface TokenItemProps {
  readonly title: ReactNode
  readonly scopes: string
  /** Empty = unknown. */
  readonly since: string
  /** Seconds since the epoch; 0 = never. */
  readonly usedTime: number
  readonly name: string
  readonly question: string
  readonly isBusy: boolean
  readonly onRevoke: () => void
}

function TokenItem({ title, scopes, since, usedTime, name, question, isBusy, onRevoke }: TokenItemProps) {
  const t = useT()
  const [isAsked, setConfirming] = useState(false)
  const used = usedTime === 0 ? t('accessTokens.unused') : t('accessTokens.used', { time: formatTime(usedTime) })
  const confirm = () => {
    setConfirming(false)
    onRevoke()
  }
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5 first:pt-0 last:pb-0">
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-2 font-medium break-words">{title}</span>
        <span className="block text-sm break-words text-muted">{scopes}</span>
        <span className="block text-sm break-words text-muted">
          {since === '' ? used : t('word.sentences', { first: since, second: used })}
        </span>
      </span>
      <Button size="sm" isBusy={isBusy} aria-label={t('accessTokens.revoke.of', { name })} onClick={() => setConfirming(true)}>
        {t('accessTokens.revoke')}
      </Button>
      <ConfirmDialog
        title={question}
        text={t('accessTokens.revoke.text')}
        confirmLabel={t('accessTokens.revoke')}
        isOpen={isAsked}
        onCancel={() => setConfirming(false)}
        onConfirm={confirm}
      />
    </li>
  )
}
