import { verification } from '@sluice/contract'
import { showToast } from './toasts.ts'
import { useCall } from './use-call.ts'

interface SendingCode {
  readonly send: (input: { readonly email: string; readonly turnstile: string }) => void
  readonly isBusy: boolean
}

/** Mails a code that proves an address. */
export function useSendCode(sentText: string): SendingCode {
  const { mutate, isPending } = useCall(verification.sendCode, { onDone: () => showToast('success', sentText) })
  return { send: (input) => mutate(input), isBusy: isPending }
}
