import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactElement, ReactNode } from 'react'
import { hoverMs } from './delays.ts'

interface TooltipProps {
  readonly text: ReactNode
  /** One element that accepts a ref and events. */
  readonly children: ReactElement
}

/** Further text on an element that already has a name. The pointer may move onto the popup, and Esc closes it. */
export function Tooltip({ text, children }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children} delay={hoverMs.open} closeDelay={hoverMs.close} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} collisionPadding={8} className="z-50">
          <Base.Popup className="max-w-80 rounded-sm bg-text px-2 py-1 text-xs break-words text-canvas transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0">
            {text}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
