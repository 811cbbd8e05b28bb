# Runs a command as Docker runs a container's: `sh container.sh STAGE ro|rw init|exec WORKDIR MOUNT... -- COMMAND...`,
# as root, as process 1 of namespaces of its own for mounts, processes and IPC. Its root is this machine's own
# with the mounts on top, as `FROM:TO`, `FROM:TO:ro` or `tmpfs:TO`; what is written elsewhere goes to memory.
# All mounts go with the namespace. STAGE is an empty folder for them.
set -e
stage=$1 root=$1/root access=$2 first=$3 workdir=$4
shift 4
mount --make-rprivate /
mount -t tmpfs tmpfs "$stage"
mkdir "$stage/upper" "$stage/work" "$root"
mount -t overlay -o "lowerdir=/,upperdir=$stage/upper,workdir=$stage/work" overlay "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o nosuid,nodev,noexec,mode=1777 tmpfs "$root/dev/shm"

while [ "$1" != -- ]; do
  from=${1%%:*} rest=${1#*:}
  to=$root${rest%%:*}
  if [ "$from" = tmpfs ]; then
    mkdir -p "$to"
    mount -t tmpfs -o nosuid,nodev,noexec,mode=1777 tmpfs "$to"
  else
    if [ -d "$from" ]; then mkdir -p "$to"; else mkdir -p "${to%/*}"; [ -e "$to" ] || : >"$to"; fi
    mount --bind "$from" "$to"
    if [ "$rest" != "${rest%:ro}" ]; then mount -o remount,bind,ro "$to"; fi
  fi
  shift
done
shift

cd "$root"
mkdir .before
pivot_root . .before
umount --lazy /.before
rmdir /.before
if [ "$access" = ro ]; then mount -o remount,bind,ro /; fi
cd "$workdir"
if [ "$first" = exec ]; then exec "$@"; fi

# As `init: true` has it: a process 1 that hands the signal on, takes up orphans, and ends as its child does.
"$@" &
child=$!
trap 'kill -TERM $child' TERM
status=0
wait $child || status=$?
while kill -0 $child 2>/dev/null; do
  status=0
  wait $child || status=$?
done
exit $status
