// Peers: devices that reach each other's memory. All may, once the program asks for it.
//
// In: HIP calls. Out: what kernels of a device may touch (device_memory.h). Codes: hipamd hip_peer.cpp.
#define _GNU_SOURCE
#include "device_memory.h"
#include "devices.h"
#include "queue.h"
#include "runtime.h"
#include "settings.h"

static bool opened[SETTINGS_MOST_DEVICES][SETTINGS_MOST_DEVICES]; // by a device, to a peer

static bool are_peers(int device, int peer) {
  return device_known(device) && device_known(peer) && device != peer;
}

static hipError_t can_access_peer(int *can, int device, int peer) {
  if (!can)
    return hipErrorInvalidValue;
  *can = are_peers(device, peer); // a device is no peer of itself
  return device_known(device) && device_known(peer) ? hipSuccess : hipErrorInvalidDevice;
}

static hipError_t open_peer(int peer, unsigned flags) {
  const int device = device_current();
  if (flags)
    return hipErrorInvalidValue;
  if (!are_peers(device, peer))
    return hipErrorInvalidDevice;
  if (opened[device][peer])
    return hipErrorPeerAccessAlreadyEnabled;
  opened[device][peer] = true;
  device_memory_open(device, peer, true);
  return hipSuccess;
}

static hipError_t close_peer(int peer) {
  const int device = device_current();
  if (!device_known(peer))
    return hipErrorInvalidDevice;
  if (!opened[device][peer])
    return hipErrorPeerAccessNotEnabled;
  opened[device][peer] = false;
  device_memory_open(device, peer, false);
  return hipSuccess;
}

hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer) {
  SERVE(can_access_peer(can, device, peer));
}
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) { SERVE(open_peer(peer, flags)); }
hipError_t hipDeviceDisablePeerAccess(int peer) { SERVE_ALONE(close_peer(peer)); }

static hipError_t attribute_between(int *value, hipDeviceP2PAttr attribute, int device, int peer) {
  if (!value || attribute < hipDevP2PAttrPerformanceRank ||
      attribute > hipDevP2PAttrHipArrayAccessSupported)
    return hipErrorInvalidValue;
  if (!are_peers(device, peer))
    return hipErrorInvalidDevice;
  *value = attribute != hipDevP2PAttrHipArrayAccessSupported;
  return hipSuccess;
}

hipError_t hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attribute, int device, int peer) {
  SERVE(attribute_between(value, attribute, device, peer));
}

// The dies of an MI250X are linked by Infinity Fabric.
static hipError_t link_between(int device, int peer, uint32_t *type, uint32_t *hops) {
  enum { LINK_XGMI = 4 }; // hsa_ext_amd.h
  if (!type || !hops || device < 0 || peer < 0 || device == peer)
    return hipErrorInvalidValue;
  if (!are_peers(device, peer))
    return hipErrorInvalidDevice;
  *type = LINK_XGMI;
  *hops = 1;
  return hipSuccess;
}

EXPORT hipError_t hipExtGetLinkTypeAndHopCount(int device, int peer, uint32_t *type,
                                               uint32_t *hops);
hipError_t hipExtGetLinkTypeAndHopCount(int device, int peer, uint32_t *type, uint32_t *hops) {
  SERVE(link_between(device, peer, type, hops));
}
