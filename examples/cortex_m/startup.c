/*
 * Start of a program on a Cortex-M: vectors, the floating-point unit, then the C library's own start, which clears what
 * must be zero and calls main. Under semihosting the library prints, and hands over the exit status, through the
 * debugger or the emulator. On a board of yours take its own start-up code instead.
 */
#include <stdint.h>

extern void _start(void);
extern uint32_t __stack;

void reset(void);
void fault(void);

typedef union {
    uint32_t *stack;
    void (*handler)(void);
} vector;

/* The first words that the processor reads: where the stack begins, and what runs at reset and at each fault. */
__attribute__((section(".vectors"), used)) const vector vectors[16] = {
    {.stack = &__stack}, {.handler = reset}, {.handler = fault}, {.handler = fault},
    {.handler = fault}, {.handler = fault}, {.handler = fault}
};

void reset(void)
{
    volatile uint32_t *const cpacr = (volatile uint32_t *)0xE000ED88u;
    *cpacr |= 0xFu << 20; /* full access to coprocessors 10 and 11, which are the floating-point unit */
    __asm volatile("dsb\n isb");
    _start();
}

/* Ends the program with status 1: SYS_EXIT_EXTENDED with "run-time error". */
void fault(void)
{
    static const uint32_t parameters[2] = {0x20026u, 1u};
    register uint32_t operation __asm("r0") = 0x20u;
    register const uint32_t *block __asm("r1") = parameters;
    __asm volatile("bkpt 0xAB" : "+r"(operation) : "r"(block) : "memory");
    for (;;) {
    }
}
