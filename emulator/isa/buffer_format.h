// Formats of buffers: what typed loads and stores make of an element's bits.
//
// In: the numbers of data and number format that an instruction or a buffer's descriptor names. Out: an
// element's channels as an instruction returns them, and the opposite.
#ifndef EMULATOR_BUFFER_FORMAT_H
#define EMULATOR_BUFFER_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

enum { FORMAT_CHANNELS = 4 };

typedef struct {
  uint8_t channels, bits[FORMAT_CHANNELS]; // from the element's lowest bit on
  uint8_t number;                          // the hardware's number of the number format
  uint8_t select[FORMAT_CHANNELS];         // what a load returns: 0, 1, or 4 + a channel
} BufferFormat;

// False if the emulator does not know it. select: bits 11:0 of the descriptor's last word.
bool buffer_format_of(uint32_t data, uint32_t number, uint32_t select, BufferFormat *format);
uint32_t buffer_format_bytes(const BufferFormat *format);

// Floats or integers of 32 bits.
void buffer_format_read(const BufferFormat *format, const void *element,
                        uint32_t value[FORMAT_CHANNELS]);
// As many as the format has. False if an integer does not fit.
bool buffer_format_write(const BufferFormat *format, void *element,
                         const uint32_t value[FORMAT_CHANNELS]);
// The same channels as halves of a register: f16, or integers of 16 bits.
bool buffer_format_has_halves(const BufferFormat *format);
uint32_t buffer_format_half(const BufferFormat *format, uint32_t value);
uint32_t buffer_format_of_half(const BufferFormat *format, uint32_t half);

#endif
