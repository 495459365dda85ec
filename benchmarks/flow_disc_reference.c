/* The reduced equations of the rolling disc, written by hand: the reference of flow_rhs.py.

   gcc -O3 -march=native -shared -fPIC -o flow_disc_reference.so flow_disc_reference.c -lm

   q = (x, y, psi, phi, theta), v = their velocities, p = (m, g, R, I1, I2) as in the gallery's rolling-disc:
   theta the lean, phi the heading, psi the spin, x' = R cos(phi) psi', y' = R sin(phi) psi'.
   Derived from the Lagrange equations with the constraint put in; accelerations of psi, phi and theta are found in closed
   form, those of x and y from the differentiated constraint. */
#include <math.h>
#include <stddef.h>

static void disc(const double *q, const double *v, const double *p, double *a) {
    const double m = p[0], g = p[1], R = p[2], I1 = p[3], I2 = p[4];
    const double sp = sin(q[3]), cp = cos(q[3]), s = sin(q[4]), c = cos(q[4]);
    const double w = v[2], f = v[3], t = v[4], mR = m * R * R, A = I1 + mR, B = I2 + mR;
    const double fd = t * ((2 * I1 - I2) * f * s + I2 * w) / (I1 * c);
    const double wd = (I2 + 2 * mR) / B * f * t * c + s * fd;
    a[0] = R * (cp * wd - sp * f * w);
    a[1] = R * (sp * wd + cp * f * w);
    a[2] = wd;
    a[3] = fd;
    a[4] = (m * g * R * s + ((B - I1) * f * s - B * w) * f * c) / A;
}

void disc_many(size_t count, const double *q, const double *v, const double *p, double *a) {
    for (size_t i = 0; i < count; i++)
        disc(q + 5 * i, v + 5 * i, p, a + 5 * i);
}
