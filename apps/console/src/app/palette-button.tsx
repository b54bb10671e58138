import { Search } from 'lucide-react'
import { useRef } from 'react'
import { late } from '../lib/late.ts'
import { modifierName } from '../lib/shortcuts.ts'
import { useT, withTexts } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import { iconButtonClass } from '../ui/button.tsx'
import { KeyCaps } from '../ui/key-caps.tsx'
import { LateLayer } from '../ui/late-layer.tsx'
import { closeOverlay, openOverlay, useOverlay } from './overlay.ts'
import { useFrameKeys } from './use-frame-keys.ts'

const paletteCode = late(withTexts(() => import('./palette/palette.tsx'), 'palette', 'setting'))
const keysCode = late(withTexts(() => import('./key-sheet.tsx'), 'palette'))

/** A failure is reported when the palette is opened. */
const loadAhead = (): void => void paletteCode.load().catch(() => null)

/** Opens the command palette, whose code is loaded when the button is pointed at or its key is pressed. Also handles the keys of every page. */
export function PaletteButton({ isWide = false }: { readonly isWide?: boolean }) {
  const t = useT()
  const pressedFrom = useRef<Element | null>(null)
  useFrameKeys()
  return (
    <>
      <button
        type="button"
        aria-label={t('palette.open')}
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        title={t('palette.open')}
        onPointerEnter={loadAhead}
        onFocus={loadAhead}
        // Before the button takes the focus from a row.
        onPointerDown={() => {
          pressedFrom.current = document.activeElement
        }}
        onClick={() => {
          openOverlay('palette', pressedFrom.current ?? document.activeElement)
          pressedFrom.current = null
        }}
        className={
          isWide
            ? cx(iconButtonClass, 'lg:h-8 lg:w-72 lg:justify-start lg:gap-2 lg:border lg:border-line lg:px-2.5 lg:text-sm touch:lg:h-11')
            : cx(iconButtonClass, 'size-8 max-[400px]:hidden')
        }
      >
        <Search aria-hidden className="size-4 shrink-0" />
        {isWide ? (
          <span className="hidden min-w-0 flex-1 items-center justify-between gap-2 lg:flex">
            <span className="truncate">{t('palette.open.short')}</span>
            <span aria-hidden className="touch:hidden">
              <KeyCaps keys={[modifierName(), 'K']} />
            </span>
          </span>
        ) : null}
      </button>
      <Overlays />
    </>
  )
}

function Overlays() {
  const { kind, commands, keys } = useOverlay()
  const isPalette = kind === 'palette'
  const isKeys = kind === 'keys'
  return (
    <>
      <LateLayer code={paletteCode} isOpen={isPalette} onFailed={closeOverlay}>
        {({ Palette }) => <Palette isOpen={isPalette} pageGroups={commands} onClose={closeOverlay} />}
      </LateLayer>
      <LateLayer code={keysCode} isOpen={isKeys} onFailed={closeOverlay}>
        {({ KeySheet }) => <KeySheet isOpen={isKeys} used={keys} onClose={closeOverlay} />}
      </LateLayer>
    </>
  )
}
