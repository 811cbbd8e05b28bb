/**
 * Demuxers of files that hold their own pictures and sound. Not among them: playlists and
 * scripts (hls, dash, concat, image2, …), which name other files and addresses to open. A playlist
 * called 'holiday.mp4' made a default ffmpeg transcode /etc/passwd and fetch internal addresses.
 */
const FORMATS = 'mov,matroska,webm,avi,mpegts,ogg,flv,asf,mpeg';

/**
 * The arguments that open a local file as video, for ffmpeg and ffprobe alike. They stand in
 * front of the output's. `path` is ours, never a name chosen by a user; the explicit protocol keeps
 * ffmpeg from reading one out of it.
 */
export function sandboxedInput(path: string): string[] {
  return ['-protocol_whitelist', 'file', '-format_whitelist', FORMATS, '-i', `file:${path}`];
}
