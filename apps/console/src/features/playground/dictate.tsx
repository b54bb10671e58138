import type { ModelRow, TokenRow } from '@sluice/contract'
import { Loader2, Mic, Square } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { callRelay, toastError } from '../../lib/api.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { IconButton } from '../../ui/button.tsx'

export interface DictateProps {
  readonly tokens: readonly TokenRow[]
  readonly tokenId: number
  readonly models: readonly ModelRow[]
  readonly onText: (text: string) => void
}

type Recording = 'off' | 'on' | 'reading'

/** Speech in place of typing: recorded here, and read by a model of the gateway. Nothing where the account has no such model. */
export function Dictate({ tokens, tokenId, models, onText }: DictateProps) {
  const t = useT()
  const [state, setState] = useState<Recording>('off')
  const recorder = useRef<MediaRecorder | null>(null)
  useEffect(() => () => stopTracks(recorder.current), [])
  const model = models.find(({ kinds }) => kinds.includes('transcriptions'))?.name
  // Browsers give the microphone to pages of HTTPS and of this machine only.
  if (model === undefined || navigator.mediaDevices === undefined) return null
  const read = async (audio: Blob) => {
    setState('reading')
    try {
      const body = new FormData()
      body.set('model', model)
      body.set('file', audio, `speech.${audio.type.includes('mp4') ? 'mp4' : 'webm'}`)
      const key = tokens.find(({ id }) => id === tokenId)?.key ?? ''
      const { text } = await callRelay('/v1/audio/transcriptions', { key, body })
      if (typeof text === 'string' && text.trim() !== '') onText(text.trim())
    } catch (error) {
      toastError(error)
    } finally {
      setState('off')
    }
  }
  const start = async () => {
    try {
      recorder.current = await startRecording((audio) => void read(audio))
      setState('on')
    } catch {
      showToast('error', t('playground.dictate.refused'))
    }
  }
  if (state === 'reading') {
    return (
      <IconButton label={t('playground.dictate.reading')} isBusy>
        <Loader2 aria-hidden className="size-4 animate-spin" />
      </IconButton>
    )
  }
  if (state === 'on') {
    return (
      <IconButton label={t('playground.dictate.stop')} onClick={() => recorder.current?.stop()} className="text-red">
        <Square aria-hidden className="size-4 fill-current" />
      </IconButton>
    )
  }
  return (
    <IconButton label={t('playground.dictate')} onClick={() => void start()}>
      <Mic aria-hidden className="size-4" />
    </IconButton>
  )
}

/** @throws DOMException if there is no microphone, or the reader does not give it */
async function startRecording(onAudio: (audio: Blob) => void): Promise<MediaRecorder> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
  const recorder = new MediaRecorder(stream)
  const parts: Blob[] = []
  recorder.ondataavailable = ({ data }) => void parts.push(data)
  recorder.onstop = () => {
    stopTracks(recorder)
    onAudio(new Blob(parts, { type: recorder.mimeType }))
  }
  recorder.start()
  return recorder
}

function stopTracks(recorder: MediaRecorder | null): void {
  for (const track of recorder?.stream.getTracks() ?? []) track.stop()
}
