/* 10,000 rolling discs by hand: DOP853 with the error estimates and the step control of flow/schemes and
   flow/kernels, the reduced equations of flow_disc_reference.c, no projection, no dense output; the reference of
   ensemble.py.

   gcc -O3 -march=native -ffast-math -fopenmp -shared -fPIC -DLANES=1 -o reference.so ensemble_reference.c -lm

   With LANES=8 eight discs share one step (the smallest of theirs) in vectors of the compiler's own, the sines
   by polynomials: what a specialist would write for AVX-512. The coefficients are handed over. */
#define _GNU_SOURCE
#include <math.h>
#include <stddef.h>
#include <string.h>

#ifndef LANES
#define LANES 1
#endif
#define D 10

#if LANES == 1
typedef double vec;
#define AT(x, l) (x)
static inline void circle(vec x, vec *s, vec *c) { sincos(x, s, c); }
#else
typedef double vec __attribute__((vector_size(8 * LANES), aligned(8)));
#define AT(x, l) ((x)[l])
typedef long long ivec __attribute__((vector_size(8 * LANES), aligned(8)));
static inline void circle(vec x, vec *s, vec *c) {
    const double shift = 6755399441055744.0;
    vec t = x * 0.6366197723675814 + shift;
    __asm__("" : "+v"(t)); /* -ffast-math would add the shift and take it away again */
    ivec quadrant = (ivec)t;
    vec k = t - shift, r = x - k * 1.5707963267948966;
    r -= k * 6.123233995736766e-17;
    vec z = r * r;
    vec p = (((((1.591769954112115e-10 * z - 2.505112587088295e-08) * z + 2.755731607384407e-06) * z
        - 0.00019841269836703144) * z + 0.008333333333330912) * z - 0.16666666666666666) * z * r + r;
    vec q = (((((-1.1382363574945734e-11 * z + 2.0876142531066365e-09) * z - 2.7557317253770344e-07) * z
        + 2.480158729873101e-05) * z - 0.0013888888888887374) * z + 0.041666666666666664) * z * z - 0.5 * z + 1.0;
    ivec odd = -(quadrant & 1);
    vec a = (vec)(((ivec)q & odd) | ((ivec)p & ~odd)), b = (vec)(((ivec)p & odd) | ((ivec)q & ~odd));
    *s = (vec)((ivec)a ^ ((quadrant & 2) << 62));
    *c = (vec)((ivec)b ^ (((quadrant + 1) & 2) << 62));
}
#endif

static inline vec larger(vec a, vec b) {
    vec r = a;
    for (int l = 0; l < LANES; l++) {
        double u = fabs(AT(a, l)), v = fabs(AT(b, l));
        AT(r, l) = u > v ? u : v;
    }
    return r;
}

static inline void field(const vec *y, const double *p, vec *dy) {
    const double m = p[0], g = p[1], R = p[2], I1 = p[3], I2 = p[4], mR = m * R * R, A = I1 + mR, B = I2 + mR;
    vec sp, cp, s, c;
    circle(y[3], &sp, &cp);
    circle(y[4], &s, &c);
    const vec w = y[7], f = y[8], t = y[9];
    const vec fd = t * ((2 * I1 - I2) * f * s + I2 * w) / (I1 * c);
    const vec wd = (I2 + 2 * mR) / B * f * t * c + s * fd;
    for (int i = 0; i < 5; i++)
        dy[i] = y[5 + i];
    dy[5] = R * (cp * wd - sp * f * w);
    dy[6] = R * (sp * wd + cp * f * w);
    dy[7] = wd;
    dy[8] = fd;
    dy[9] = (m * g * R * s + ((B - I1) * f * s - B * w) * f * c) / A;
}

static long one(const double *table, const double *start, const double *p, double end, double tol, double *final) {
    vec y[D], new[D], trial[D], k[13][D];
    for (int i = 0; i < D; i++)
        for (int l = 0; l < LANES; l++)
            AT(y[i], l) = start[D * l + i];
    double t = 0.0, h = 1e-3, before = 1e-4;
    long steps = 0;
    field(y, p, k[0]);
    while (t < end) {
        if (h > end - t)
            h = end - t;
        for (int s = 1; s < 13; s++) {
            const double *a = table + 16 * s;
            vec *out = s == 12 ? new : trial;
            for (int i = 0; i < D; i++) {
                vec sum = {0};
                for (int j = 0; j < s; j++)
                    sum += a[j] * k[j][i];
                out[i] = y[i] + h * sum;
            }
            if (s < 12)
                field(trial, p, k[s]);
        }
        vec fifth = {0}, third = {0};
        for (int i = 0; i < D; i++) {
            vec e5 = {0}, e3 = {0};
            for (int j = 0; j < 12; j++) {
                e5 += table[16 * 18 + j] * k[j][i];
                e3 += table[16 * 17 + j] * k[j][i];
            }
            vec inverse = 1.0 / (tol + tol * larger(y[i], new[i]));
            fifth += e5 * inverse * e5 * inverse;
            third += e3 * inverse * e3 * inverse;
        }
        double error = 0.0;
        for (int l = 0; l < LANES; l++) {
            double bottom = AT(fifth, l) + 0.01 * AT(third, l), e = bottom > 0 ? h * AT(fifth, l) / sqrt(bottom * D) : 0.0;
            error = e > error ? e : error;
        }
        steps++;
        if (error <= 1.0) {
            double factor = 0.9 * pow(error > 1e-10 ? error : 1e-10, -1.0 / 8 + 0.02) * pow(before, 0.03);
            before = error > 1e-4 ? error : 1e-4;
            t += h;
            memcpy(y, new, sizeof y);
            field(y, p, k[0]);
            h *= factor < 0.2 ? 0.2 : factor > 6.0 ? 6.0 : factor;
        } else {
            double factor = 0.9 * pow(error, -1.0 / 8);
            h *= factor < 0.1 ? 0.1 : factor;
        }
    }
    for (int i = 0; i < D; i++)
        for (int l = 0; l < LANES; l++)
            final[D * l + i] = AT(y[i], l);
    return steps * LANES;
}

long discs(size_t count, const double *table, const double *starts, const double *p, double end, double tol,
           double *final, int threads) {
    long steps = 0;
#pragma omp parallel for schedule(dynamic, 4) num_threads(threads) reduction(+ : steps)
    for (long i = 0; i < (long)(count / LANES); i++)
        steps += one(table, starts + D * LANES * i, p, end, tol, final + D * LANES * i);
    return steps;
}
