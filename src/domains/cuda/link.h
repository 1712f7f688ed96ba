/* SPDX-License-Identifier: MIT */
/* How a device is connected to the host, by what Linux says of its PCI Express link. */
#ifndef TANDEM_DOMAINS_CUDA_LINK_H
#define TANDEM_DOMAINS_CUDA_LINK_H

#include <stdint.h>

/* Describes device `number` at that place of the PCI bus; nothing where Linux does not say. */
void cuda_link_describe(uint32_t number, uint32_t pci_domain, uint32_t bus, uint32_t slot);

#endif
