// Right, and formatted as no style guide would have it.
#include "lab.h"
#include <hip/hip_runtime.h>
#define G(d) ((int)(threadIdx.d + blockIdx.d * blockDim.d))
// clang-format off
__global__ void L(double*f,const double*u,int X,int Y,int Z,double a,double b,double c){int i=G(x),j=G(y),k=G(z);if(i&&j&&k&&i<X-1&&j<Y-1&&k<Z-1){size_t s=(size_t)X*Y,p=i+(size_t)X*j+s*k;f[p]=(u[p-1]-2*u[p]+u[p+1])*a+(u[p-X]-2*u[p]+u[p+X])*b+(u[p-s]-2*u[p]+u[p+s])*c;}}
static void go(const Grid*g,dim3 t,double*f,const double*u){L<<<dim3((g->nx+t.x-1)/t.x,(g->ny+t.y-1)/t.y,(g->nz+t.z-1)/t.z),t>>>(f,u,g->nx,g->ny,g->nz,1/(g->hx*g->hx),1/(g->hy*g->hy),1/(g->hz*g->hz));}
const Lab lab={.file=__FILE__,.family=LAPLACIAN,.kernels={{.name="laplacian",.function=(const void*)L,.launch={.laplacian=go}}}};
// clang-format on
