import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { goToOauth, type OauthProvider } from './oauth.ts'
import { useStatus } from './status.ts'
import { t } from './t.ts'
import { showToast } from './toasts.ts'

interface Leaving {
  readonly leave: (provider: OauthProvider) => void
  /** The service whose page is about to open. */
  readonly leavingFor: OauthProvider | null
}

/** Sends the browser to a login service. */
export function useOauth(): Leaving {
  const status = useStatus()
  const { mutate, reset, variables, isPending, data } = useMutation({
    mutationFn: (provider: OauthProvider) => goToOauth(provider, status),
    onSuccess: (hasLeft) => (hasLeft ? undefined : showToast('error', t('oauth.noState'))),
  })
  useEffect(() => {
    // The browser may show this page again as it was left.
    addEventListener('pageshow', reset)
    return () => removeEventListener('pageshow', reset)
  }, [reset])
  const isLeaving = isPending || data === true
  return {
    leave: (provider) => (isLeaving ? undefined : mutate(provider)),
    leavingFor: isLeaving ? (variables ?? null) : null,
  }
}
