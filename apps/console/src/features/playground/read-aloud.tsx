import type { ModelRow, TokenRow } from '@sluice/contract'
import { Square, Volume2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { streamRelay, toastError } from '../../lib/api.ts'
import { useT } from '../../lib/t.ts'
import { IconButton } from '../../ui/button.tsx'

interface ReadAloudProps {
  readonly text: string
  /** Of what is read. */
  readonly name: string
  readonly tokens: readonly TokenRow[]
  readonly tokenId: number
  readonly models: readonly ModelRow[]
}

/** Longer texts are refused by most models of speech. */
const textMax = 4_000

/** The voice that the models of most vendors have. */
const voice = 'alloy'

type Playing = 'off' | 'waiting' | 'on'

/** A response as speech, by a model of the gateway. Nothing where the account has no such model. */
export function ReadAloud({ text, name, tokens, tokenId, models }: ReadAloudProps) {
  const t = useT()
  const [state, setState] = useState<Playing>('off')
  const stopper = useRef<AbortController | null>(null)
  useEffect(() => () => stopper.current?.abort(), [])
  const model = models.find(({ kinds }) => kinds.includes('speech'))?.name
  if (model === undefined) return null
  const play = async () => {
    const controller = new AbortController()
    const { signal } = controller
    stopper.current = controller
    setState('waiting')
    try {
      const key = tokens.find(({ id }) => id === tokenId)?.key ?? ''
      const body = { model, voice, input: text.slice(0, textMax) }
      const completion = await streamRelay('/v1/audio/speech', { key, body, signal })
      const clip = await new Response(completion.body).blob()
      setState('on')
      await playedBy(clip, signal)
    } catch (error) {
      if (!signal.aborted) toastError(error)
    } finally {
      if (stopper.current?.signal === signal) setState('off')
    }
  }
  if (state !== 'off') {
    return (
      <IconButton
        label={t('playground.aloud.stop')}
        onClick={() => {
          stopper.current?.abort()
          setState('off')
        }}
      >
        <Square aria-hidden className="size-4 fill-current" />
      </IconButton>
    )
  }
  return (
    <IconButton label={t('playground.aloud', { model: name })} onClick={() => void play()}>
      <Volume2 aria-hidden className="size-4" />
    </IconButton>
  )
}

/** Resolves when the audio has been played, or was stopped. */
function playedBy(clip: Blob, signal: AbortSignal): Promise<void> {
  const address = URL.createObjectURL(clip)
  const audio = new Audio(address)
  return new Promise<void>((resolve, reject) => {
    signal.addEventListener('abort', () => {
      audio.pause()
      resolve()
    })
    audio.onended = () => resolve()
    audio.onerror = () => reject(new Error(audio.error?.message ?? ''))
    audio.play().catch(reject)
  }).finally(() => URL.revokeObjectURL(address))
}
