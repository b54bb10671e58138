import { option, type UnreadableKind, unreadableKinds } from '@sluice/contract'
import { Link, type LinkProps } from '@tanstack/react-router'
import { useT } from '../lib/t.ts'
import { useRead } from '../lib/use-call.ts'
import { Alert } from '../ui/alert.tsx'

/** Where values of each kind are entered again. */
const places: Readonly<Record<UnreadableKind, Pick<LinkProps, 'to' | 'search'>>> = {
  channels: { to: '/channel' },
  tokens: { to: '/token' },
  redemptions: { to: '/redemption' },
  options: { to: '/setting', search: { tab: 'system' } },
  notification_rules: { to: '/setting', search: { tab: 'notification' } },
  second_factors: { to: '/user' },
}

/** For administrators: how many stored values cannot be read with the present master key, and where they are entered again. */
export function UnreadableNotice() {
  const t = useT()
  const { data } = useRead(option.unreadable, { input: {}, freshMs: 10_000, isSilent: true })
  const kinds = data === undefined ? [] : unreadableKinds.filter((kind) => data[kind] > 0)
  if (data === undefined || kinds.length === 0) return null
  return (
    <Alert kind="warning" title={t('unreadable.title')}>
      <p>{t('unreadable.text')}</p>
      <ul className="mt-1 flex flex-wrap gap-x-3">
        {kinds.map((kind) => (
          <li key={kind}>
            <Link {...places[kind]} className="underline">
              {t(`unreadable.${kind}`, { count: data[kind] })}
            </Link>
          </li>
        ))}
      </ul>
    </Alert>
  )
}
