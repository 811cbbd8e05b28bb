# A network as Docker makes one: `sh network.sh PREFIX OUTSIDE PARENT NAME...`, as root, in namespaces of its own for
# mounts and the network. Each NAME gets a network namespace of that name with the address PREFIX.2, PREFIX.3, … on one bridge;
# PARENT, a process of this machine, gets the interface OUTSIDE to it. Says `ready`, and lasts as long as its input.
set -e
prefix=$1 outside=$2 parent=$3
shift 3
mount --make-rprivate /
mount -t tmpfs tmpfs /run
ip link add bridge type bridge
ip link set bridge up
ip link add host type veth peer name "$outside" netns "$parent"
ip link set host master bridge up
number=1
for name; do
  number=$((number + 1))
  ip netns add "$name"
  ip link add "to$number" type veth peer name eth0 netns "$name"
  ip link set "to$number" master bridge up
  ip -netns "$name" address add "$prefix.$number/24" dev eth0
  ip -netns "$name" link set eth0 up
  ip -netns "$name" link set lo up
done
echo ready
read -r _ || true
