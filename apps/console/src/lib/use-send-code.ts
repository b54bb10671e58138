import { verification } from '@sluice/contract'
import { showToast } from './toasts.ts'
import { useCall } from './use-call.ts'

interface SendingCode {
  readonly send: (input: { readonly email: string; readonly turnstile: string }) => void
  readonly isBusy: boolean
}

/**
 * Mails a code that proves an address.
 * @param onFailed gets why the call failed, which a toast has already shown
 */
export function useSendCode(successText: string, onFailed: (failure: Error) => void): SendingCode {
  const { mutate, isPending } = useCall(verification.sendCode, { onDone: () => showToast('success', successText) })
  return { send: (input) => mutate(input, { onError: onFailed }), isBusy: isPending }
}
