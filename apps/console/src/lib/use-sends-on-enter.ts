import type { KeyboardEvent } from 'react'
import { useIsTouch } from './use-media.ts'

/** Whether a key sends a text of several lines. The keyboard of a touch screen has no Shift+Enter, so Enter begins a line there. */
export function useSendsOnEnter(): (event: KeyboardEvent) => boolean {
  const isTouch = useIsTouch()
  return (event) => event.key === 'Enter' && !isTouch && !event.shiftKey && !event.nativeEvent.isComposing
}
