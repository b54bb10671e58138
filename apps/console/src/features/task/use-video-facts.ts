import { mp4Facts, type VideoFacts } from '@sluice/contract'
import { useEffect, useState } from 'react'

interface Read {
  readonly file: File
  /** `null` = it is no video. */
  readonly facts: VideoFacts | null
}

/** What the header of a video says; `null` = it is none, `undefined` = it is being read, or there is none. */
export function useVideoFacts(video: File | undefined): VideoFacts | null | undefined {
  const [read, setRead] = useState<Read | null>(null)
  useEffect(() => {
    if (video === undefined) return
    let isCurrent = true
    // A file that cannot be read any more is refused when it is sent.
    void factsOf(video)
      .catch(() => null)
      .then((facts) => {
        if (isCurrent) setRead({ file: video, facts })
      })
    return () => {
      isCurrent = false
    }
  }, [video])
  return video !== undefined && read?.file === video ? read.facts : undefined
}

async function factsOf(video: File): Promise<VideoFacts | null> {
  return mp4Facts(new Uint8Array(await video.arrayBuffer()))
}
