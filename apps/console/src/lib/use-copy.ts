import { useCallback } from 'react'
import { copyText } from './clipboard.ts'
import { useT } from './t.ts'
import { showToast } from './toasts.ts'

/** Copies a text; if that fails, shows it to be copied manually. */
export function useCopy(show: (text: string) => void): (text: string) => Promise<void> {
  const t = useT()
  return useCallback(
    async (text) => {
      if (await copyText(text)) return showToast('success', t('copy.done'))
      showToast('warning', t('copy.failed'))
      show(text)
    },
    [t, show],
  )
}
