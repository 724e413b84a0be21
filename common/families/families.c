// The families, a row each. See families.h.
#include "families.h"

#include "derivative.h"
#include "laplacian.h"
#include "lbm.h"
#include "lbm_device.h"
#include "random.h"
#include "slices.h"

#include <string.h>

#define FIGURES(...)                                                                               \
  (const char *const[]) { __VA_ARGS__, NULL }

// A launcher gets a copy of the grid: what verification relies on stays out of its reach.
static void enqueue_laplacian(const Launch *l) {
  const Grid grid = *l->grid;
  l->kernel->launch.laplacian(&grid, l->block, slices_first_point(&grid, l->f),
                              slices_first_point(&grid, l->u));
}

static void enqueue_derivative(const Launch *l) {
  const Grid grid = *l->grid;
  l->kernel->launch.derivative(&grid, l->block, l->window, slices_first_point(&grid, l->f),
                               slices_first_point(&grid, l->u));
}

const Family FAMILIES[] = {
    [LAPLACIAN] =
        {
            .name = "laplacian",
            .element = "double",
            .element_bytes = sizeof(double),
            .nx = 512,
            .ny = 512,
            .nz = 32,
            .on_gpu = {512, 512, 512},
            .bytes_a_point = 2 * sizeof(double),
            .radius = 1,
            .counts_border = true,
            .target_gbs = LAPLACIAN_TARGET_GBS,
            .columns = FIGURES("loaded_per_stored", "time_ms", "percent_of_target", "speedup",
                               "fetch_size_gb", "fetch_efficiency_percent", "l2_cache_hit_percent",
                               "sgprs", "vgprs", "scratch_bytes", "occupancy_waves_per_simd"),
            .rows = FIGURES("sgprs", "vgprs", "scratch_bytes", "occupancy_waves_per_simd",
                            "wavefronts", "loads", "stores", "loaded_per_stored", "fetch_size_gb",
                            "fetch_efficiency_percent", "write_size_gb", "write_efficiency_percent",
                            "l2_cache_hit_percent", "time_ms", "effective_bandwidth_gbs",
                            "percent_of_target"),
            .recorded =
                FIGURES("fetch_size_gb", "write_size_gb", "time_ms", "effective_bandwidth_gbs",
                        "fetch_efficiency_percent", "l2_cache_hit_percent", "percent_of_target"),
            .traffic = laplacian_traffic,
            .slices = {.known = laplacian_quadratic_slice,
                       .random = random_slice,
                       .answer = laplacian_quadratic_answer,
                       .reference = laplacian_slice,
                       .tolerance = laplacian_tolerance},
            .allocate = slices_allocate,
            .put_input = slices_put_input,
            .renew = slices_renew,
            .enqueue = enqueue_laplacian,
            .verify = slices_verify,
        },
    [DERIVATIVE] =
        {
            .name = "derivative",
            .element = "float",
            .element_bytes = sizeof(float),
            .nx = 512,
            .ny = 512,
            .nz = 32,
            .on_gpu = {512, 512, 512},
            .bytes_a_point = 2 * sizeof(float),
            .counts_cubes = true,
            .columns = FIGURES("loaded_per_stored", "time_ms", "effective_bandwidth_gbs",
                               "achieved_bandwidth_gbs", "speedup", "l1_cubes", "l2_read_cubes",
                               "l2_write_cubes", "hbm_cubes", "read_write_ratio", "growth_percent",
                               "vgprs", "scratch_bytes"),
            .rows = FIGURES("vgprs", "scratch_bytes", "occupancy_waves_per_simd",
                            "loaded_per_stored", "l1_cubes", "l2_read_cubes", "l2_write_cubes",
                            "hbm_cubes", "read_write_ratio", "growth_percent", "time_ms",
                            "effective_bandwidth_gbs", "achieved_bandwidth_gbs"),
            .recorded =
                FIGURES("fetch_size_gb", "write_size_gb", "time_ms", "effective_bandwidth_gbs",
                        "achieved_bandwidth_gbs", "read_write_ratio", "l1_cubes", "l2_read_cubes",
                        "l2_write_cubes", "hbm_cubes"),
            .traffic = derivative_traffic,
            .slices = {.known = derivative_polynomial_slice,
                       .random = derivative_random_slice,
                       .answer = derivative_polynomial_answer,
                       .reference = derivative_slice,
                       .tolerance = derivative_tolerance},
            .allocate = slices_allocate,
            .put_input = slices_put_input,
            .renew = slices_renew,
            .enqueue = enqueue_derivative,
            .verify = slices_verify,
        },
    [LATTICE_BOLTZMANN] =
        {
            .name = "lattice_boltzmann",
            .element = "double",
            .element_bytes = sizeof(double),
            // 2048 waves: with 5 waves a SIMD all fit on 110 compute units at once, with 4 they do
            // not. 60 MB that must move, 7 times what L2 holds. Both show in the time; emulated in
            // about a second.
            .nx = 256,
            .ny = 16,
            .nz = 32,
            .on_gpu = {1024, 128, 32},
            .bytes_a_point = 57 * sizeof(double),
            .columns = FIGURES("sgprs", "vgprs", "agprs", "scratch_bytes",
                               "occupancy_waves_per_simd", "loaded_per_stored", "fetch_size_gb",
                               "time_ms", "speedup", "effective_bandwidth_gbs"),
            .rows = FIGURES("sgprs", "vgprs", "agprs", "scratch_bytes", "occupancy_waves_per_simd",
                            "loaded_per_stored", "fetch_size_gb", "write_size_gb", "time_ms",
                            "effective_bandwidth_gbs"),
            .recorded =
                FIGURES("fetch_size_gb", "write_size_gb", "time_ms", "effective_bandwidth_gbs"),
            .traffic = lbm_traffic,
            .fits = lbm_fits,
            .allocate = lbm_allocate,
            .put_input = lbm_put_input,
            .renew = lbm_renew,
            .enqueue = lbm_enqueue,
            .verify = lbm_check,
        },
};

const Family *families_find(const char *name) {
  for (size_t n = 0; n < sizeof FAMILIES / sizeof *FAMILIES; n++)
    if (strcmp(FAMILIES[n].name, name) == 0)
      return &FAMILIES[n];
  return NULL;
}
