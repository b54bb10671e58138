import { useCallback, useSyncExternalStore } from 'react'

export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}

/** Whether the user points with a finger, and types on a screen. */
export function useIsTouch(): boolean {
  return useMedia('(pointer: coarse)')
}

/** On narrow screens, table rows become cards. */
export function useIsPhone(): boolean {
  return useMedia('(max-width: 639px)')
}
