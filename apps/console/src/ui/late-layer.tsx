import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import type { Late } from '../lib/late.ts'
import { t } from '../lib/t.ts'
import { showToast } from '../lib/toasts.ts'

interface LateLayerProps<Module> {
  readonly code: Late<Module>
  readonly isOpen: boolean
  /** The code could not be loaded: what opened the layer must let it be opened again. */
  readonly onFailed: () => void
  readonly children: (module: Module) => ReactNode
}

/** A dialog or sheet whose code is loaded when it is first opened. It stays rendered from then on, so that it can fade away. */
export function LateLayer<Module>({ code, isOpen, onFailed, children }: LateLayerProps<Module>) {
  const [module, setModule] = useState<Module | null>(null)
  const loaded = module ?? (isOpen ? code.loaded() : null)
  // Kept also if no load was needed.
  if (loaded !== module) setModule(() => loaded)
  const isWaiting = isOpen && loaded === null
  const fail = useEffectEvent(() => {
    showToast('error', t('part.failed'))
    onFailed()
  })
  useEffect(() => {
    if (!isWaiting) return
    let isCurrent = true
    code.load().then(
      (ready) => (isCurrent ? setModule(() => ready) : undefined),
      () => (isCurrent ? fail() : undefined),
    )
    return () => {
      isCurrent = false
    }
  }, [isWaiting, code])
  return loaded === null ? null : children(loaded)
}
