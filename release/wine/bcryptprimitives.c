// The one function of bcryptprimitives.dll that Go programs need, for versions of
// Wine that do not have it (before 9.0). For tests under Wine only.
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) {
	return RtlGenRandom(data, (ULONG)length);
}
