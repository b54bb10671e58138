import { type DataOf, option } from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { refetch } from '../lib/reads.ts'
import { useT } from '../lib/t.ts'
import { showToast } from '../lib/toasts.ts'
import { useCall, useRead } from '../lib/use-call.ts'
import { Alert } from '../ui/alert.tsx'
import { Button } from '../ui/button.tsx'

type Waiting = DataOf<typeof option.waiting>
type WaitingOption = Waiting['options'][number]

/** For root: what options need, and raw proxies that forward everything. */
export function OptionNotices() {
  const { data: waiting } = useRead(option.waiting, { input: {}, freshMs: 60_000 })
  if (waiting === undefined) return null
  return (
    <>
      {waiting.answers_any_host ? <AnyHost /> : null}
      {waiting.logins_without_address.length === 0 ? null : <LoginsWithoutAddress services={waiting.logins_without_address} />}
      {waiting.options.length === 0 ? null : <WaitingOptions waiting={waiting} />}
      {waiting.open_proxies.length === 0 ? null : <OpenProxies proxies={waiting.open_proxies} />}
    </>
  )
}

function AnyHost() {
  const t = useT()
  return <AddressNotice title={t('hosts.any.title')}>{t('hosts.any.text')}</AddressNotice>
}

function LoginsWithoutAddress({ services }: { readonly services: readonly string[] }) {
  const t = useT()
  return <AddressNotice title={t('logins.address.title', { services: services.join(', ') })}>{t('logins.address.text')}</AddressNotice>
}

/** A warning that goes away when the address of the server is set. */
function AddressNotice({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const t = useT()
  return (
    <Alert
      kind="warning"
      title={title}
      action={
        <Link to="/setting" search={{ tab: 'system' }} hash="ServerAddress" className="shrink-0 font-medium underline">
          {t('hosts.any.go')}
        </Link>
      }
    >
      {children}
    </Alert>
  )
}

/** Options that an administrator has set or proposed. */
function WaitingOptions({ waiting: { options, revision } }: { readonly waiting: Waiting }) {
  const t = useT()
  const client = useQueryClient()
  const confirm = useCall(option.confirm, { onDone: () => showToast('success', t('options.confirmed')) })
  const reject = useCall(option.reject, { onDone: () => showToast('success', t('options.rejected')) })
  // Options that changed since they were shown are shown again, not confirmed.
  const onError = () => void refetch(client, option.waiting)
  const byProgram = options.filter(({ key }) => key.includes('PrivateUpstream'))
  const pending = options.filter(({ is_pending }) => is_pending)
  const others = options.filter((row) => !row.is_pending && !byProgram.includes(row))
  return (
    <Alert
      kind="warning"
      title={t('options.waiting.title')}
      action={
        <Button isBusy={confirm.isPending} onClick={() => confirm.mutate({ revision }, { onError })}>
          {t('options.confirm')}
        </Button>
      }
    >
      <OptionList text={t('options.waiting.text')} rows={others} />
      <OptionList text={t('options.upstreams.text')} rows={byProgram} />
      <OptionList
        text={t('options.pending.text')}
        rows={pending}
        actionOf={({ key }) => (
          <Button size="sm" isBusy={reject.isPending} onClick={() => reject.mutate({ key, revision }, { onError })}>
            {t('options.reject', { key })}
          </Button>
        )}
      />
    </Alert>
  )
}

interface OptionListProps {
  readonly text: string
  readonly rows: readonly WaitingOption[]
  readonly actionOf?: (row: WaitingOption) => ReactNode
}

function OptionList({ text, rows, actionOf }: OptionListProps) {
  const t = useT()
  if (rows.length === 0) return null
  return (
    <>
      <p className="not-first:mt-2">{text}</p>
      <ul className="mt-1 space-y-0.5">
        {rows.map((row) => (
          <li key={row.key} className="wrap-anywhere">
            <code>{row.key}</code>: {row.is_secret ? t('options.secret') : row.value || t('options.empty')}{' '}
            {row.is_pending ? t('options.inForce', { value: row.in_force || t('options.empty') }) : null} {actionOf?.(row)}
          </li>
        ))}
      </ul>
    </>
  )
}

function OpenProxies({ proxies }: { readonly proxies: Waiting['open_proxies'] }) {
  const t = useT()
  return (
    <Alert kind="warning" title={t('proxies.open.title')}>
      <p>{t('proxies.open.text')}</p>
      <ul className="mt-1 flex flex-wrap gap-x-3">
        {proxies.map(({ id, name }) => (
          <li key={id} className="wrap-anywhere">
            <Link to="/channel/edit/$id" params={{ id: String(id) }} className="underline">
              #{id} {name}
            </Link>
          </li>
        ))}
      </ul>
    </Alert>
  )
}
