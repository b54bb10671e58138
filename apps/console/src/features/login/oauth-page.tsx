import { oauth } from '@sluice/contract'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { CallError, callEnvelope, secondStepOf, toastError } from '../../lib/api.ts'
import { type OauthProvider, oidcNameOf } from '../../lib/oauth.ts'
import { onceOptions } from '../../lib/reads.ts'
import { useSession } from '../../lib/session.ts'
import { useStatus } from '../../lib/status.ts'
import { type MessageKey, useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useSignIn } from '../../lib/use-sign-in.ts'
import { Alert } from '../../ui/alert.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { VisitorPage } from './visitor-page.tsx'

/** Multiplied by the number of the attempt (specification, section 9). */
const retryMs = 2_000
const retriesMax = 1

export const GithubCallbackPage = () => <CallbackPage provider="github" />
export const GoogleCallbackPage = () => <CallbackPage provider="google" />
export const OidcCallbackPage = () => <CallbackPage provider="oidc" />
export const LarkCallbackPage = () => <CallbackPage provider="lark" />

interface CallbackPageProps {
  readonly provider: OauthProvider
}

/** Where a login service sends the browser back to. */
function CallbackPage({ provider }: CallbackPageProps) {
  const t = useT()
  const { code, state, iss, error } = useCallback(provider)
  const { isSignedIn } = useSession()
  const status = useStatus()
  const service = provider === 'oidc' ? oidcNameOf(status) : t(`service.${provider}`)
  const back = isSignedIn ? '/setting' : '/login'
  const fault = error === undefined ? null : t(refusalOf(error), { service, code: String(error) })
  const isExchanged = fault === null && code !== undefined && state !== undefined
  return (
    <VisitorPage title={t('oauth.title', { service })} {...(isExchanged && { below: <TextLink to={back}>{t('action.cancel')}</TextLink> })}>
      {isExchanged ? (
        <Exchange provider={provider} service={service} code={String(code)} state={String(state)} issuer={String(iss ?? '')} />
      ) : (
        <div className="space-y-4">
          <Alert kind="error">{fault ?? t('oauth.incomplete', { service })}</Alert>
          <ButtonLink to={back} look="primary" className="w-full">
            {t('action.back')}
          </ButtonLink>
        </div>
      )}
    </VisitorPage>
  )
}

/** What the service has put into the address. */
function useCallback(provider: OauthProvider): Readonly<Partial<Record<'code' | 'state' | 'iss' | 'error', unknown>>> {
  return useSearch({ from: `/oauth/${provider}` })
}

/** What error codes mean (RFC 6749, 4.1.2.1; OpenID Connect Core, 3.1.2.6; GitHub). Anybody can write the rest of the address, so none of it is shown. */
const refusals: ReadonlyMap<unknown, MessageKey> = new Map([
  ['access_denied', 'oauth.refused.denied'],
  ['server_error', 'oauth.refused.unavailable'],
  ['temporarily_unavailable', 'oauth.refused.unavailable'],
  ['application_suspended', 'oauth.refused.setUp'],
  ['invalid_request', 'oauth.refused.setUp'],
  ['invalid_scope', 'oauth.refused.setUp'],
  ['redirect_uri_mismatch', 'oauth.refused.setUp'],
  ['unauthorized_client', 'oauth.refused.setUp'],
  ['unsupported_response_type', 'oauth.refused.setUp'],
])

const refusalOf = (error: unknown): MessageKey => refusals.get(error) ?? 'oauth.refused'

interface ExchangeProps extends CallbackPageProps {
  /** Its name for people. */
  readonly service: string
  readonly code: string
  readonly state: string
  /** As the provider names itself; empty = it does not. */
  readonly issuer: string
}

/** A query, not an effect: the code is valid once, and a query of one key is sent once however often React mounts the page. */
function Exchange({ provider, service, code, state, issuer }: ExchangeProps) {
  const t = useT()
  const { data, error, failureCount } = useQuery({
    ...onceOptions(oauth[provider], { code, state }, async (): Promise<Exchanged> => {
      const { data: user, envelope } = await callEnvelope(oauth[provider], { code, state, ...(issuer !== '' && { iss: issuer }) })
      return envelope['message'] === 'bind' || user === null ? { isBinding: true } : { isBinding: false, user }
    }),
    // Only if no response of the server arrived: a refusal would be the same again.
    retry: (failures, failure) => failures < retriesMax && isLost(failure),
    retryDelay: (failures) => retryMs * (failures + 1),
    meta: { failure: 'silent' },
  })
  useEnd({ provider, service }, { data, error })
  const text = failureCount === 0 || data !== undefined ? t('oauth.working') : t('oauth.retry', { count: failureCount })
  return (
    <p role="status" className="flex items-center gap-3 text-muted">
      <span aria-hidden className="size-5 shrink-0 animate-spin rounded-full border-2 border-line border-t-accent" />
      {text}
    </p>
  )
}

function isLost(error: Error): boolean {
  if (!(error instanceof CallError)) return true
  return error.failure.kind === 'network' || (error.failure.kind === 'http' && error.failure.status >= 500)
}

/** What the server did: its message `bind` says that the service was bound to the account that is signed in (specification, section 2). */
type Exchanged = { readonly isBinding: true } | { readonly isBinding: false; readonly user: unknown }

interface Ended {
  readonly data: Exchanged | undefined
  readonly error: Error | null
}

/** Leaves the page when the exchange has ended. */
function useEnd({ provider, service }: Pick<ExchangeProps, 'provider' | 'service'>, { data, error }: Ended): void {
  const t = useT()
  const navigate = useNavigate()
  const signIn = useSignIn()
  const hasEnded = useRef(false)
  useEffect(() => {
    if (hasEnded.current || (error === null && data === undefined)) return
    hasEnded.current = true
    const secondStep = secondStepOf(error)
    if (secondStep !== '') {
      void navigate({ to: '/login', replace: true, state: { secondStep, from: '/' } })
    } else if (error !== null) {
      toastError(error)
      void navigate({ to: '/setting', replace: true })
    } else if (data?.isBinding === true) {
      showToast('success', t('oauth.bound', { service }))
      void navigate({ to: '/setting', replace: true })
    } else if (data !== undefined) {
      signIn(data.user, provider)
      showToast('success', t('login.done'))
      void navigate({ to: '/', replace: true })
    }
  }, [data, error, navigate, provider, service, signIn, t])
}
