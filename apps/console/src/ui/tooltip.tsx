import { cloneElement, type DOMAttributes, type ReactElement, type ReactNode, useState } from 'react'
import { LayerPopup } from './popup.tsx'
import { useHover } from './use-hover.ts'

interface TooltipProps {
  readonly text: ReactNode
  /** Where it does not cover what is pressed next. */
  readonly side?: 'top' | 'bottom' | undefined
  /** One element that passes events on. */
  readonly children: ReactElement<DOMAttributes<HTMLElement>>
}

/** Further text on an element that already has a name. The pointer may move onto the popup, and Esc closes it. */
export function Tooltip({ text, side = 'top', children }: TooltipProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const hide = () => setAnchor(null)
  const hover = useHover({ open: setAnchor, close: hide })
  const { props } = children
  const hideNow = () => {
    hover.stop()
    hide()
  }
  return (
    <>
      {cloneElement(children, {
        onPointerEnter: (event) => {
          props.onPointerEnter?.(event)
          hover.anchorProps.onPointerEnter(event)
        },
        onPointerLeave: (event) => {
          props.onPointerLeave?.(event)
          hover.anchorProps.onPointerLeave()
        },
        onPointerDown: (event) => {
          props.onPointerDown?.(event)
          hideNow()
        },
        onFocus: (event) => {
          props.onFocus?.(event)
          if (event.currentTarget.matches(':focus-visible')) setAnchor(event.currentTarget)
        },
        onBlur: (event) => {
          props.onBlur?.(event)
          hideNow()
        },
        onClick: (event) => {
          hideNow()
          props.onClick?.(event)
        },
      })}
      {anchor === null ? null : (
        <LayerPopup anchor={anchor} align="center" side={side} isPassive onClose={hideNow} {...hover.popupProps} className="py-1.5">
          <div className="max-w-80 rounded-sm bg-text px-2 py-1 text-xs break-words text-canvas transition-opacity starting:opacity-0">
            {text}
          </div>
        </LayerPopup>
      )}
    </>
  )
}
