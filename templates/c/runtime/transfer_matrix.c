/* Riccati sweeps over the kernels of a generated module, whose names and sizes take the place of the prefix. */
/* mbsym: copied from here */
/* Stepping by the discrete time transfer matrix method. The tables of the elements, the iterate and what the sweeps
   leave for each body lie in the scratch memory that the caller gives. */
typedef struct MODEL_transfer_sweep {
    MODEL_real *body, *joint, *cut, *gravity;                       /* tables */
    MODEL_real *force, *active;                                     /* loads with weight; 1 on a path to a cut */
    MODEL_real *motion, *z, *r, *inboard, *center, *velocity;       /* iterate */
    MODEL_real *B, *D, *B_past, *D_past;                            /* history terms [rotation; centre of mass] */
    MODEL_real *law, *hinge_force, *hinge_stiffness;                /* hinges at the iterate */
    MODEL_real *Q, *multipliers;                                    /* forces at input ends, cut forces */
    MODEL_real *W, *w, *S, *s, *elimination, *elastic, *turn;       /* backward sweep; w, s by column */
    MODEL_real *rest, *gap, *delta, *dr;                            /* forward sweep, by column */
    MODEL_real *direction, *stiffness, *tension, *dense;            /* cut forces */
    MODEL_real pivot_ratio;                                         /* smallest pivot of the scaled closure rows */
    int bias;                                                       /* 1 while accelerations are sought */
} MODEL_transfer_sweep;

enum {
    MODEL_T_D = MODEL_TRANSFER_DIMENSION,
    MODEL_T_A = MODEL_TRANSFER_ANGLES,
    MODEL_T_L = MODEL_TRANSFER_DIMENSION + MODEL_TRANSFER_ANGLES,
    MODEL_T_N = MODEL_TRANSFER_BODIES,
    MODEL_T_C = 1 + MODEL_TRANSFER_UNKNOWNS,
    MODEL_T_TURN = MODEL_TRANSFER_DIMENSION == 2 ? 1 : 4
};

static MODEL_real *MODEL_transfer_take(MODEL_real **next, int size)
{
    MODEL_real *taken = *next;
    *next += size;
    return taken;
}

static int MODEL_transfer_parent(const MODEL_transfer_sweep *s, int i)
{
    return (int)s->joint[i * MODEL_TRANSFER_JOINT] - 1;
}

static int MODEL_transfer_is_elastic(const MODEL_transfer_sweep *s, int i)
{
    return s->joint[i * MODEL_TRANSFER_JOINT + 1] > (MODEL_real)0.5;
}

/* The end of the parent that body i hangs on. */
static const MODEL_real *MODEL_transfer_attachment(const MODEL_transfer_sweep *s, int i)
{
    return s->joint + i * MODEL_TRANSFER_JOINT + 8;
}

/* Vector of column c of body i in an array of vectors by body and column. */
static MODEL_real *MODEL_transfer_column(MODEL_real *array, int size, int i, int c)
{
    return array + (i * MODEL_T_C + c) * size;
}

static int MODEL_transfer_columns(const MODEL_transfer_sweep *s, int i)
{
    return s->active[i] > (MODEL_real)0.5 ? MODEL_T_C : 1;
}

static void MODEL_transfer_copy(MODEL_real *to, const MODEL_real *from, int size)
{
    int k;
    for (k = 0; k < size; ++k) {
        to[k] = from[k];
    }
}

static void MODEL_transfer_clear(MODEL_real *to, int size)
{
    int k;
    for (k = 0; k < size; ++k) {
        to[k] = 0;
    }
}

static void MODEL_transfer_add(MODEL_real *to, const MODEL_real *share, int size)
{
    int k;
    for (k = 0; k < size; ++k) {
        to[k] += share[k];
    }
}

/* Divides the scratch memory and reads the tables. */
static void MODEL_transfer_prepare(MODEL_FORMAL MODEL_transfer_sweep *s, const MODEL_real *loads, MODEL_real *work)
{
    const int n = MODEL_T_N, d = MODEL_T_D, a = MODEL_T_A, l = MODEL_T_L, c = MODEL_T_C, u = MODEL_TRANSFER_UNKNOWNS;
    MODEL_real *next = work;
    int i, k;
    s->body = MODEL_transfer_take(&next, n * MODEL_TRANSFER_BODY);
    s->joint = MODEL_transfer_take(&next, n * MODEL_TRANSFER_JOINT);
    s->cut = MODEL_transfer_take(&next, MODEL_TRANSFER_CUTS * MODEL_TRANSFER_CUT);
    s->gravity = MODEL_transfer_take(&next, d);
    s->force = MODEL_transfer_take(&next, n * l);
    s->active = MODEL_transfer_take(&next, n);
    s->motion = MODEL_transfer_take(&next, n * MODEL_TRANSFER_MOTION);
    s->z = MODEL_transfer_take(&next, n * a);
    s->r = MODEL_transfer_take(&next, n * d);
    s->inboard = MODEL_transfer_take(&next, n * d);
    s->center = MODEL_transfer_take(&next, n * d);
    s->velocity = MODEL_transfer_take(&next, n * d);
    s->B = MODEL_transfer_take(&next, n * l);
    s->D = MODEL_transfer_take(&next, n * l);
    s->B_past = MODEL_transfer_take(&next, n * l);
    s->D_past = MODEL_transfer_take(&next, n * l);
    s->law = MODEL_transfer_take(&next, n * 2);
    s->hinge_force = MODEL_transfer_take(&next, n * d);
    s->hinge_stiffness = MODEL_transfer_take(&next, n);
    s->Q = MODEL_transfer_take(&next, n * d);
    s->multipliers = MODEL_transfer_take(&next, u);
    s->W = MODEL_transfer_take(&next, n * l * l);
    s->w = MODEL_transfer_take(&next, n * c * l);
    s->S = MODEL_transfer_take(&next, n * 9);
    s->s = MODEL_transfer_take(&next, n * c * 3);
    s->elimination = MODEL_transfer_take(&next, n * MODEL_TRANSFER_ELIMINATION);
    s->elastic = MODEL_transfer_take(&next, n * MODEL_TRANSFER_ELASTIC);
    s->turn = MODEL_transfer_take(&next, n * 3);
    s->rest = MODEL_transfer_take(&next, n * c * a);
    s->gap = MODEL_transfer_take(&next, n * c * d);
    s->delta = MODEL_transfer_take(&next, n * c * a);
    s->dr = MODEL_transfer_take(&next, n * c * d);
    s->direction = MODEL_transfer_take(&next, u * d);
    s->stiffness = MODEL_transfer_take(&next, u);
    s->tension = MODEL_transfer_take(&next, u);
    s->dense = MODEL_transfer_take(&next, u * (u + 1));
    s->pivot_ratio = 1;
    s->bias = 0;
    MODEL_transfer_matrix_system(MODEL_ACTUAL s->body, s->joint, s->cut, s->gravity);
    for (i = 0; i < n; ++i) {
        s->active[i] = 0;
        s->law[2 * i] = s->law[2 * i + 1] = 0;
        s->hinge_stiffness[i] = 0;
        for (k = 0; k < l; ++k) {
            s->force[i * l + k] = (loads ? loads[i * l + k] : 0)
                + (k < d ? s->body[i * MODEL_TRANSFER_BODY] * s->gravity[k] : 0);
        }
    }
    MODEL_transfer_clear(s->Q, n * d);
    MODEL_transfer_clear(s->multipliers, u);
    for (k = 0; k < MODEL_TRANSFER_CUTS; ++k) {
        int end;
        for (end = 1; end < 3; ++end) {
            int at = (int)s->cut[k * MODEL_TRANSFER_CUT + end] - 1;
            while (at >= 0 && s->active[at] < (MODEL_real)0.5) {
                s->active[at] = 1;
                at = MODEL_transfer_parent(s, at);
            }
        }
    }
}

static void MODEL_transfer_point_of(MODEL_FORMAL const MODEL_transfer_sweep *s, int i, const MODEL_real *b, MODEL_real *point)
{
    MODEL_transfer_point(
        MODEL_ACTUAL s->motion + i * MODEL_TRANSFER_MOTION, b, s->r + i * MODEL_T_D, point);
}

/* Positions at the iterate, input ends at elastic hinges being given; accelerations but for the unknowns in bias. */
static void MODEL_transfer_place(MODEL_FORMAL MODEL_transfer_sweep *s)
{
    const int d = MODEL_T_D;
    int i;
    for (i = 0; i < MODEL_T_N; ++i) {
        const int p = MODEL_transfer_parent(s, i);
        const MODEL_real *b = MODEL_transfer_attachment(s, i);
        MODEL_real *inboard = s->inboard + i * d;
        if (p >= 0) {
            MODEL_transfer_point_of(MODEL_ACTUAL s, p, b, inboard);
        } else if (s->bias) {
            MODEL_transfer_clear(inboard, d);
        } else {
            MODEL_transfer_copy(inboard, b, d);
        }
        if (!MODEL_transfer_is_elastic(s, i)) {
            MODEL_transfer_copy(s->r + i * d, inboard, d);
        } else if (s->bias) {
            MODEL_transfer_clear(s->r + i * d, d);
        }
        MODEL_transfer_point_of(MODEL_ACTUAL s, i, s->body + i * MODEL_TRANSFER_BODY + 1, s->center + i * d);
    }
}

/* Point of cut k on its first (0) or second (1) body. */
static void MODEL_transfer_cut_point(
    MODEL_FORMAL const MODEL_transfer_sweep *s, int k, int end, MODEL_real *point)
{
    const MODEL_real *row = s->cut + k * MODEL_TRANSFER_CUT;
    const MODEL_real *b = row + 6 + end * MODEL_T_D;
    const int body = (int)row[1 + end] - 1;
    if (body >= 0) {
        MODEL_transfer_point_of(MODEL_ACTUAL s, body, b, point);
    } else if (s->bias) {
        MODEL_transfer_clear(point, MODEL_T_D);
    } else {
        MODEL_transfer_copy(point, b, MODEL_T_D);
    }
}

static void MODEL_transfer_velocity_of(
    MODEL_FORMAL const MODEL_transfer_sweep *s, int body, const MODEL_real *b, MODEL_real *velocity)
{
    if (body < 0) {
        MODEL_transfer_clear(velocity, MODEL_T_D);
        return;
    }
    MODEL_transfer_point_velocity(
        MODEL_ACTUAL s->body + body * MODEL_TRANSFER_BODY, s->motion + body * MODEL_TRANSFER_MOTION,
        s->velocity + body * MODEL_T_D, b, velocity);
}

/* Angle of a body for hinge springs: attitude at the start of the step plus increment. */
static MODEL_real MODEL_transfer_angle(const MODEL_transfer_sweep *s, const MODEL_real *state, int body)
{
    if (body < 0 || MODEL_T_A != 1) {
        return 0;
    }
    return state[body * MODEL_TRANSFER_STATE] + s->z[body * MODEL_T_A];
}

/* Hinge laws, forces of elastic hinges, and the directions of cut forces at the iterate. */
static void MODEL_transfer_springs(
    MODEL_FORMAL MODEL_transfer_sweep *s, const MODEL_real *state, MODEL_real A, MODEL_real C, MODEL_real spring)
{
    const int d = MODEL_T_D;
    const MODEL_real origin[3] = {0, 0, 0};
    MODEL_real ground[MODEL_TRANSFER_MOTION];
    MODEL_real outer[3], inner[3];
    int i, k, column = 0;
    MODEL_transfer_clear(ground, MODEL_TRANSFER_MOTION);
    for (i = 0; i < MODEL_T_N; ++i) {
        const int p = MODEL_transfer_parent(s, i);
        const MODEL_real *joint = s->joint + i * MODEL_TRANSFER_JOINT;
        if (MODEL_T_A == 1) {
            const MODEL_real angle[1] = {MODEL_transfer_angle(s, state, i)};
            const MODEL_real parent_angle[1] = {MODEL_transfer_angle(s, state, p)};
            MODEL_transfer_hinge_law(
                MODEL_ACTUAL joint, spring, A, C, s->motion + i * MODEL_TRANSFER_MOTION,
                p < 0 ? ground : s->motion + p * MODEL_TRANSFER_MOTION, angle, parent_angle, s->law + 2 * i);
        }
        if (MODEL_transfer_is_elastic(s, i)) {
            MODEL_transfer_velocity_of(MODEL_ACTUAL s, i, origin, outer);
            MODEL_transfer_velocity_of(MODEL_ACTUAL s, p, joint + 8, inner);
            s->hinge_stiffness[i] = spring * joint[6] + A * joint[7];
            for (k = 0; k < d; ++k) {
                s->hinge_force[i * d + k] = -joint[6] * (s->r[i * d + k] - s->inboard[i * d + k] - joint[8 + d + k])
                    - joint[7] * (outer[k] - inner[k]);
            }
        }
    }
    for (i = 0; i < MODEL_TRANSFER_CUTS; ++i) {
        const MODEL_real *row = s->cut + i * MODEL_TRANSFER_CUT;
        if (row[0] < (MODEL_real)0.5) {
            for (k = 0; k < d; ++k, ++column) {
                MODEL_transfer_clear(s->direction + column * d, d);
                s->direction[column * d + k] = 1;
                s->stiffness[column] = s->tension[column] = 0;
            }
        } else {
            MODEL_real first[3], second[3], length = 0, rate = 0;
            MODEL_transfer_cut_point(MODEL_ACTUAL s, i, 0, first);
            MODEL_transfer_cut_point(MODEL_ACTUAL s, i, 1, second);
            MODEL_transfer_velocity_of(MODEL_ACTUAL s, (int)row[1] - 1, row + 6, outer);
            MODEL_transfer_velocity_of(MODEL_ACTUAL s, (int)row[2] - 1, row + 6 + d, inner);
            for (k = 0; k < d; ++k) {
                length += (first[k] - second[k]) * (first[k] - second[k]);
            }
            length = (MODEL_real)sqrt(length);
            for (k = 0; k < d; ++k) {
                s->direction[column * d + k] = (first[k] - second[k]) / length;
                rate += s->direction[column * d + k] * (outer[k] - inner[k]);
            }
            s->tension[column] = row[3] * (length - row[5]) + row[4] * rate;
            s->stiffness[column] = spring * row[3] + A * row[4];
            ++column;
        }
    }
}

/* Cut forces as columns of right-hand sides on the bodies that they act on. */
static void MODEL_transfer_cut_columns(MODEL_FORMAL MODEL_transfer_sweep *s, MODEL_real geometric)
{
    const int d = MODEL_T_D, l = MODEL_T_L;
    const MODEL_real none[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    MODEL_real share[MODEL_T_L * MODEL_T_L], force[3], interface[3];
    int i, end, k, column, first = 0;
    for (i = 0; i < MODEL_TRANSFER_CUTS; ++i) {
        const MODEL_real *row = s->cut + i * MODEL_TRANSFER_CUT;
        const int size = row[0] > (MODEL_real)0.5 ? 1 : d;
        for (end = 0; end < 2; ++end) {
            const int body = (int)row[1 + end] - 1;
            const MODEL_real *b = row + 6 + end * d;
            const MODEL_real *motion = s->motion + body * MODEL_TRANSFER_MOTION;
            if (body < 0) {
                continue;
            }
            MODEL_transfer_clear(force, d);
            for (column = first; column < first + size; ++column) {
                MODEL_transfer_clear(interface, 3);
                for (k = 0; k < d; ++k) {
                    const MODEL_real x = end ? -s->direction[column * d + k] : s->direction[column * d + k];
                    interface[3 - d + k] = x;
                    force[k] += geometric * x * s->multipliers[column];
                }
                MODEL_transfer_end_column(MODEL_ACTUAL motion, b, interface, share);
                MODEL_transfer_add(MODEL_transfer_column(s->w, l, body, 1 + column), share, l);
            }
            MODEL_transfer_end(MODEL_ACTUAL motion, b, none, force, share);
            MODEL_transfer_add(s->W + body * l * l, share, l * l);
        }
        first += size;
    }
}

/* From the tips to the root: every body's rotation is eliminated, what is left is handed to its parent. */
static void MODEL_transfer_backward(MODEL_FORMAL MODEL_transfer_sweep *s, MODEL_real geometric)
{
    const int d = MODEL_T_D, a = MODEL_T_A, l = MODEL_T_L;
    const MODEL_real zero[3] = {0, 0, 0};
    MODEL_real through[9], column_through[3], share[MODEL_T_L * MODEL_T_L], force[3];
    int i, c, k;
    for (i = MODEL_T_N - 1; i >= 0; --i) {
        const int p = MODEL_transfer_parent(s, i), columns = MODEL_transfer_columns(s, i);
        const int elastic = MODEL_transfer_is_elastic(s, i);
        const MODEL_real *b = MODEL_transfer_attachment(s, i);
        const MODEL_real *interface = s->S + i * 9;
        MODEL_real *elimination = s->elimination + i * MODEL_TRANSFER_ELIMINATION;
        if (a == 1) {
            MODEL_transfer_column(s->w, l, i, 0)[0] -= s->law[2 * i + 1];
        }
        MODEL_transfer_hinge(
            MODEL_ACTUAL s->W + i * l * l, s->motion + i * MODEL_TRANSFER_MOTION, s->law + 2 * i, s->S + i * 9,
            elimination);
        if (elastic) {
            MODEL_transfer_elastic_hinge(
                MODEL_ACTUAL s->S + i * 9, s->hinge_stiffness[i], through, s->elastic + i * MODEL_TRANSFER_ELASTIC,
                s->turn + i * 3);
            interface = through;
        }
        if (p >= 0) {
            for (k = 0; k < d; ++k) {
                force[k] = geometric * s->Q[i * d + k];
            }
            MODEL_transfer_end(MODEL_ACTUAL s->motion + p * MODEL_TRANSFER_MOTION, b, interface, force, share);
            MODEL_transfer_add(s->W + p * l * l, share, l * l);
        }
        for (c = 0; c < columns; ++c) {
            MODEL_real *column = MODEL_transfer_column(s->s, 3, i, c);
            MODEL_transfer_hinge_column(
                MODEL_ACTUAL elimination, MODEL_transfer_column(s->w, l, i, c),
                MODEL_transfer_column(s->rest, a, i, c), column);
            if (a == 1 && c == 0) {
                column[0] += s->law[2 * i + 1];
            }
            if (elastic) {
                MODEL_transfer_elastic_hinge_column(
                    MODEL_ACTUAL s->elastic + i * MODEL_TRANSFER_ELASTIC, c ? zero : s->hinge_force + i * d, column,
                    column_through, MODEL_transfer_column(s->gap, d, i, c));
                column = column_through;
            }
            if (p >= 0) {
                MODEL_transfer_end_column(MODEL_ACTUAL s->motion + p * MODEL_TRANSFER_MOTION, b, column, share);
                MODEL_transfer_add(MODEL_transfer_column(s->w, l, p, c), share, l);
            }
        }
    }
}

/* From the root to the tips: changes of one column, of all bodies or of those on paths to cuts. */
static void MODEL_transfer_forward(MODEL_FORMAL MODEL_transfer_sweep *s, int c, int paths_only)
{
    const int d = MODEL_T_D, a = MODEL_T_A;
    const MODEL_real zero[3] = {0, 0, 0};
    MODEL_real moved[3];
    int i;
    for (i = 0; i < MODEL_T_N; ++i) {
        const int p = MODEL_transfer_parent(s, i);
        const MODEL_real *turned = p < 0 ? zero : MODEL_transfer_column(s->delta, a, p, c);
        MODEL_real *dr = MODEL_transfer_column(s->dr, d, i, c);
        const int elastic = MODEL_transfer_is_elastic(s, i);
        if (paths_only && s->active[i] < (MODEL_real)0.5) {
            continue;
        }
        MODEL_transfer_clear(moved, 3);
        if (p >= 0) {
            MODEL_transfer_point_change(
                MODEL_ACTUAL s->motion + p * MODEL_TRANSFER_MOTION, MODEL_transfer_attachment(s, i),
                MODEL_transfer_column(s->dr, d, p, c), turned, moved);
        }
        if (elastic) {
            MODEL_transfer_elastic_point(
                MODEL_ACTUAL s->elastic + i * MODEL_TRANSFER_ELASTIC, s->turn + i * 3, turned, moved,
                MODEL_transfer_column(s->gap, d, i, c), dr);
        } else {
            MODEL_transfer_copy(dr, moved, d);
        }
        MODEL_transfer_rotation(
            MODEL_ACTUAL s->elimination + i * MODEL_TRANSFER_ELIMINATION, turned, dr,
            MODEL_transfer_column(s->rest, a, i, c), MODEL_transfer_column(s->delta, a, i, c));
    }
}

/* Solves constant + F x = 0, rows [constant, F] in s->dense, rows scaled, with row pivots; x are the cut forces. */
static void MODEL_transfer_dense(MODEL_transfer_sweep *s)
{
    const int n = MODEL_TRANSFER_UNKNOWNS, width = MODEL_TRANSFER_UNKNOWNS + 1;
    MODEL_real *F = s->dense;
    MODEL_real least = 1;
    int i, j, k;
    for (i = 0; i < n; ++i) {
        MODEL_real largest = 0;
        for (j = 1; j < width; ++j) {
            largest = fabs(F[i * width + j]) > largest ? (MODEL_real)fabs(F[i * width + j]) : largest;
        }
        for (j = 0; j < width; ++j) {
            F[i * width + j] /= largest;
        }
    }
    for (k = 0; k < n; ++k) {
        int best = k;
        MODEL_real size;
        for (i = k + 1; i < n; ++i) {
            if (fabs(F[i * width + k + 1]) > fabs(F[best * width + k + 1])) {
                best = i;
            }
        }
        for (j = 0; best != k && j < width; ++j) {
            const MODEL_real kept = F[k * width + j];
            F[k * width + j] = F[best * width + j];
            F[best * width + j] = kept;
        }
        size = (MODEL_real)fabs(F[k * width + k + 1]);
        least = size < least || size != size ? size : least;
        for (i = k + 1; i < n; ++i) {
            const MODEL_real factor = F[i * width + k + 1] / F[k * width + k + 1];
            F[i * width] -= factor * F[k * width];
            for (j = k + 1; j < width; ++j) {
                F[i * width + j] -= factor * F[k * width + j];
            }
        }
    }
    for (k = n - 1; k >= 0; --k) {
        MODEL_real total = F[k * width];
        for (j = k + 1; j < n; ++j) {
            total += F[k * width + j + 1] * s->multipliers[j];
        }
        s->multipliers[k] = -total / F[k * width + k + 1];
    }
    s->pivot_ratio = least;
}

/* Cut forces from the closure of every loop, and their share in all right-hand sides. */
static void MODEL_transfer_close(MODEL_FORMAL MODEL_transfer_sweep *s)
{
    const int d = MODEL_T_D, a = MODEL_T_A, width = MODEL_TRANSFER_UNKNOWNS + 1;
    MODEL_real moved[3], change[3], here[3], there[3];
    int c, i, k, end;
    for (c = 0; c < MODEL_T_C; ++c) {
        int first = 0;
        MODEL_transfer_forward(MODEL_ACTUAL s, c, 1);
        for (i = 0; i < MODEL_TRANSFER_CUTS; ++i) {
            const MODEL_real *row = s->cut + i * MODEL_TRANSFER_CUT;
            MODEL_transfer_clear(change, d);
            for (end = 0; end < 2; ++end) {
                const int body = (int)row[1 + end] - 1;
                if (body >= 0) {
                    MODEL_transfer_point_change(
                        MODEL_ACTUAL s->motion + body * MODEL_TRANSFER_MOTION, row + 6 + end * d,
                        MODEL_transfer_column(s->dr, d, body, c), MODEL_transfer_column(s->delta, a, body, c), moved);
                    for (k = 0; k < d; ++k) {
                        change[k] += end ? -moved[k] : moved[k];
                    }
                }
            }
            if (row[0] > (MODEL_real)0.5) {
                MODEL_real value = c == 0 ? s->tension[first] : c == first + 1 ? (MODEL_real)-1 : (MODEL_real)0;
                for (k = 0; k < d; ++k) {
                    value += s->stiffness[first] * s->direction[first * d + k] * change[k];
                }
                s->dense[first * width + c] = value;
                ++first;
                continue;
            }
            if (c == 0) {
                MODEL_transfer_cut_point(MODEL_ACTUAL s, i, 0, here);
                MODEL_transfer_cut_point(MODEL_ACTUAL s, i, 1, there);
                for (k = 0; k < d; ++k) {
                    change[k] += here[k] - there[k];
                }
            }
            for (k = 0; k < d; ++k) {
                s->dense[(first + k) * width + c] = change[k];
            }
            first += d;
        }
    }
    MODEL_transfer_dense(s);
    for (i = 0; i < MODEL_T_N; ++i) {
        for (c = 1; c < MODEL_transfer_columns(s, i); ++c) {
            const MODEL_real factor = s->multipliers[c - 1];
            for (k = 0; k < 3; ++k) {
                MODEL_transfer_column(s->s, 3, i, 0)[k] += factor * MODEL_transfer_column(s->s, 3, i, c)[k];
            }
            for (k = 0; k < a; ++k) {
                MODEL_transfer_column(s->rest, a, i, 0)[k] += factor * MODEL_transfer_column(s->rest, a, i, c)[k];
            }
            for (k = 0; k < d && MODEL_transfer_is_elastic(s, i); ++k) {
                MODEL_transfer_column(s->gap, d, i, 0)[k] += factor * MODEL_transfer_column(s->gap, d, i, c)[k];
            }
        }
    }
}

/* One linear solution: changes of all bodies in column 0 of delta and dr, forces in Q and multipliers. */
static void MODEL_transfer_solve(MODEL_FORMAL MODEL_transfer_sweep *s, MODEL_real C, MODEL_real geometric)
{
    const int d = MODEL_T_D, a = MODEL_T_A, l = MODEL_T_L;
    MODEL_real acceleration[3], known[3];
    int i, j, k;
    for (i = 0; i < MODEL_T_N; ++i) {
        for (k = 0; k < d; ++k) {
            acceleration[k] = s->bias ? s->center[i * d + k] : C * s->center[i * d + k] + s->D[i * l + a + k];
        }
        MODEL_transfer_clear(MODEL_transfer_column(s->w, l, i, 0), MODEL_transfer_columns(s, i) * l);
        MODEL_transfer_inertia(
            MODEL_ACTUAL s->body + i * MODEL_TRANSFER_BODY, s->motion + i * MODEL_TRANSFER_MOTION, C, geometric,
            acceleration, s->force + i * l, s->W + i * l * l, MODEL_transfer_column(s->w, l, i, 0));
    }
    MODEL_transfer_cut_columns(MODEL_ACTUAL s, geometric);
    MODEL_transfer_backward(MODEL_ACTUAL s, geometric);
    if (MODEL_TRANSFER_UNKNOWNS > 0) {
        MODEL_transfer_close(MODEL_ACTUAL s);
    }
    MODEL_transfer_forward(MODEL_ACTUAL s, 0, 0);
    for (i = 0; i < MODEL_T_N; ++i) {
        const int p = MODEL_transfer_parent(s, i);
        const MODEL_real *S = s->S + i * 9, *rest = MODEL_transfer_column(s->s, 3, i, 0);
        known[0] = a == 1 && p >= 0 ? MODEL_transfer_column(s->delta, a, p, 0)[0] : 0;
        MODEL_transfer_copy(known + 3 - d, MODEL_transfer_column(s->dr, d, i, 0), d);
        for (k = 0; k < d; ++k) {
            const int row = 3 - d + k;
            s->Q[i * d + k] = rest[row];
            for (j = 0; j < 3; ++j) {
                s->Q[i * d + k] += S[3 * row + j] * known[j];
            }
        }
    }
}

/* A combination of history rows with coefficients at scheme[first]; in past the share of the rows x2 and x3. */
static void MODEL_transfer_history(
    const MODEL_real *scheme, int first, const MODEL_real *history, MODEL_real *total, MODEL_real *past)
{
    int j, k;
    for (j = 0; j < MODEL_T_L; ++j) {
        past[j] = scheme[first + 4] * history[4 * MODEL_T_L + j] + scheme[first + 5] * history[5 * MODEL_T_L + j];
        total[j] = past[j];
        for (k = 0; k < 4; ++k) {
            total[j] += scheme[first + k] * history[k * MODEL_T_L + j];
        }
    }
}

static void MODEL_transfer_turn(MODEL_FORMAL MODEL_transfer_sweep *s, const MODEL_real *state, MODEL_real A, MODEL_real C)
{
    int i;
    for (i = 0; i < MODEL_T_N; ++i) {
        MODEL_transfer_attitude(
            MODEL_ACTUAL state + i * MODEL_TRANSFER_STATE, s->z + i * MODEL_T_A, s->body + i * MODEL_TRANSFER_BODY, A, C,
            s->B + i * MODEL_T_L, s->D + i * MODEL_T_L, s->B_past + i * MODEL_T_L, s->D_past + i * MODEL_T_L,
            s->motion + i * MODEL_TRANSFER_MOTION);
    }
}

/* Input ends at elastic hinges from centres of mass. */
static void MODEL_transfer_free_ends(MODEL_FORMAL MODEL_transfer_sweep *s)
{
    const int d = MODEL_T_D;
    const MODEL_real origin[3] = {0, 0, 0};
    MODEL_real lever[3];
    int i, k;
    for (i = 0; i < MODEL_T_N; ++i) {
        if (MODEL_transfer_is_elastic(s, i)) {
            MODEL_transfer_point(
                MODEL_ACTUAL s->motion + i * MODEL_TRANSFER_MOTION, s->body + i * MODEL_TRANSFER_BODY + 1, origin, lever);
            for (k = 0; k < d; ++k) {
                s->r[i * d + k] = s->center[i * d + k] - lever[k];
            }
        }
    }
}

/* History after the step, from the collocated values. */
static void MODEL_transfer_finish(MODEL_FORMAL MODEL_transfer_sweep *s, const MODEL_real *scheme, MODEL_real *state)
{
    const int d = MODEL_T_D, a = MODEL_T_A, l = MODEL_T_L;
    MODEL_real bent[6 * MODEL_T_L], fresh[6 * MODEL_T_L], value[MODEL_T_L];
    MODEL_real base[MODEL_TRANSFER_BASE], x[3], x2[3], x3[3];
    int i, j, k, row;
    for (i = 0; i < MODEL_T_N; ++i) {
        MODEL_real *own = state + i * MODEL_TRANSFER_STATE;
        MODEL_real *past = own + MODEL_TRANSFER_BASE;
        MODEL_transfer_copy(value, s->z + i * a, a);
        MODEL_transfer_copy(value + a, s->center + i * d, d);
        MODEL_transfer_copy(bent, past, 6 * l);
        for (row = 4; row < 6; ++row) {
            MODEL_transfer_past(MODEL_ACTUAL s->z + i * a, past + row * l, bent + row * l);
        }
        for (row = 0; row < 6; ++row) {
            const MODEL_real *weights = scheme + 20 + 7 * row;
            const MODEL_real *source = row >= 1 && row <= 3 ? bent : past;
            for (j = 0; j < l; ++j) {
                fresh[row * l + j] = weights[0] * value[j];
                for (k = 0; k < 6; ++k) {
                    fresh[row * l + j] += weights[1 + k] * source[k * l + j];
                }
            }
        }
        MODEL_transfer_rebase(MODEL_ACTUAL own, fresh, fresh + 4 * l, fresh + 5 * l, base, x, x2, x3);
        MODEL_transfer_copy(fresh, x, a);
        MODEL_transfer_copy(fresh + 4 * l, x2, a);
        MODEL_transfer_copy(fresh + 5 * l, x3, a);
        MODEL_transfer_copy(own, base, MODEL_TRANSFER_BASE);
        MODEL_transfer_copy(past, fresh, 6 * l);
        MODEL_transfer_copy(past + 6 * l, s->Q + i * d, d);
    }
    MODEL_transfer_copy(state + MODEL_T_N * MODEL_TRANSFER_STATE, s->multipliers, MODEL_TRANSFER_UNKNOWNS);
}

/* Whether a step that failed began next to the singular attitude of Cardan angles. */
static int MODEL_transfer_chart_is_lost(const MODEL_real *state)
{
    int i;
    for (i = 0; MODEL_TRANSFER_CARDAN && i < MODEL_T_N; ++i) {
        const MODEL_real *history = state + i * MODEL_TRANSFER_STATE + MODEL_TRANSFER_BASE;
        if (!(fabs(cos(history[1])) >= 0.1)) {
            return 1;
        }
    }
    return 0;
}

/* One step in place; the state is untouched unless the status is 0 (converged) or -1 (accepted loosely). */
static int MODEL_transfer_one_step(
    MODEL_FORMAL MODEL_transfer_sweep *s, const MODEL_real *scheme, const MODEL_real *settings, MODEL_real *state,
    int *iterations, MODEL_real *change)
{
    const int d = MODEL_T_D, a = MODEL_T_A, l = MODEL_T_L;
    const MODEL_real A = scheme[0], C = scheme[1], tolerance = settings[0];
    MODEL_real before = -1, predicted[MODEL_T_L], unused[MODEL_T_L];
    int i, k, status = 1;
    for (i = 0; i < MODEL_T_N; ++i) {
        const MODEL_real *own = state + i * MODEL_TRANSFER_STATE;
        const MODEL_real *history = own + MODEL_TRANSFER_BASE;
        MODEL_transfer_history(scheme, 2, history, s->B + i * l, s->B_past + i * l);
        MODEL_transfer_history(scheme, 8, history, s->D + i * l, s->D_past + i * l);
        MODEL_transfer_history(scheme, 14, history, predicted, unused);
        MODEL_transfer_copy(s->z + i * a, predicted, a);
        MODEL_transfer_copy(s->center + i * d, predicted + a, d);
        MODEL_transfer_copy(s->Q + i * d, history + 6 * l, d);
    }
    MODEL_transfer_copy(s->multipliers, state + MODEL_T_N * MODEL_TRANSFER_STATE, MODEL_TRANSFER_UNKNOWNS);
    MODEL_transfer_turn(MODEL_ACTUAL s, state, A, C);
    MODEL_transfer_free_ends(MODEL_ACTUAL s);
    *change = 0;
    for (*iterations = 0; status == 1 && *iterations < (int)settings[2];) {
        ++*iterations;
        MODEL_transfer_place(MODEL_ACTUAL s);
        for (i = 0; i < MODEL_T_N; ++i) {
            for (k = 0; k < d; ++k) {
                s->velocity[i * d + k] = A * s->center[i * d + k] + s->B[i * l + a + k];
            }
        }
        MODEL_transfer_springs(MODEL_ACTUAL s, state, A, C, 1);
        MODEL_transfer_solve(MODEL_ACTUAL s, C, settings[3]);
        *change = 0;
        for (i = 0; i < MODEL_T_N; ++i) {
            for (k = 0; k < a; ++k) {
                const MODEL_real step = MODEL_transfer_column(s->delta, a, i, 0)[k];
                s->z[i * a + k] += step;
                if (!(fabs(step) <= *change)) {
                    *change = (MODEL_real)fabs(step);
                }
            }
            for (k = 0; k < d && MODEL_transfer_is_elastic(s, i); ++k) {
                const MODEL_real step = MODEL_transfer_column(s->dr, d, i, 0)[k];
                s->r[i * d + k] += step;
                if (!(fabs(step) / (1 + fabs(s->r[i * d + k])) <= *change)) {
                    *change = (MODEL_real)(fabs(step) / (1 + fabs(s->r[i * d + k])));
                }
            }
            if (!isfinite(*change)) {
                return MODEL_transfer_chart_is_lost(state) ? 4 : 2;
            }
        }
        MODEL_transfer_turn(MODEL_ACTUAL s, state, A, C);
        if (*change <= tolerance
            || (*change <= 10000 * tolerance && before >= 0 && *change >= (MODEL_real)0.25 * before)) {
            status = 0;
        }
        before = *change;
    }
    if (status == 1 && *change <= settings[1]) {
        status = -1;
    }
    if (status > 0) {
        return MODEL_transfer_chart_is_lost(state) ? 4 : status;
    }
    MODEL_transfer_place(MODEL_ACTUAL s);
    MODEL_transfer_finish(MODEL_ACTUAL s, scheme, state);
    return status;
}

void MODEL_transfer_matrix_start(
    MODEL_FORMAL const MODEL_real attitude[MODEL_T_N * MODEL_T_TURN],
    const MODEL_real omega[MODEL_T_N * MODEL_T_A],
    const MODEL_real displacement[MODEL_T_N * MODEL_T_D],
    const MODEL_real displacement_rate[MODEL_T_N * MODEL_T_D],
    const MODEL_real loads[MODEL_T_N * MODEL_T_L],
    MODEL_real next_state[restrict MODEL_TRANSFER_SIZE],
    MODEL_real report[restrict 7],
    MODEL_real work[restrict MODEL_TRANSFER_WORK])
{
    const int d = MODEL_T_D, a = MODEL_T_A, l = MODEL_T_L, turn = MODEL_T_TURN;
    const MODEL_real zero[3] = {0, 0, 0};
    MODEL_transfer_sweep sweep;
    MODEL_transfer_sweep *s = &sweep;
    MODEL_real moving[3], back[3], change[3];
    int i, k;
    MODEL_transfer_prepare(MODEL_ACTUAL s, loads, work);
    for (i = 0; i < MODEL_T_N; ++i) {
        const int p = MODEL_transfer_parent(s, i), elastic = MODEL_transfer_is_elastic(s, i);
        const MODEL_real *b = MODEL_transfer_attachment(s, i);
        MODEL_real *own = next_state + i * MODEL_TRANSFER_STATE;
        MODEL_real *history = own + MODEL_TRANSFER_BASE;
        MODEL_transfer_start_rotation(
            MODEL_ACTUAL attitude + i * turn, omega + i * a, zero, own, history, history + l, history + 2 * l);
        MODEL_transfer_copy(s->z + i * a, history, a);
        MODEL_transfer_attitude(
            MODEL_ACTUAL own, s->z + i * a, s->body + i * MODEL_TRANSFER_BODY, 0, 0, history + l, zero, zero, zero,
            s->motion + i * MODEL_TRANSFER_MOTION);
        if (p < 0) {
            MODEL_transfer_copy(s->inboard + i * d, b, d);
        } else {
            MODEL_transfer_point_of(MODEL_ACTUAL s, p, b, s->inboard + i * d);
        }
        MODEL_transfer_velocity_of(MODEL_ACTUAL s, p, b, moving);
        MODEL_transfer_clear(s->velocity + i * d, d);
        /* The velocity of the input end is known; that of the centre of mass is its own plus the lever's. */
        MODEL_transfer_velocity_of(MODEL_ACTUAL s, i, zero, back);
        for (k = 0; k < d; ++k) {
            s->r[i * d + k] = s->inboard[i * d + k] + (elastic ? displacement[i * d + k] : 0);
            s->velocity[i * d + k] = moving[k] - back[k] + (elastic ? displacement_rate[i * d + k] : 0);
        }
        MODEL_transfer_point_of(MODEL_ACTUAL s, i, s->body + i * MODEL_TRANSFER_BODY + 1, s->center + i * d);
        MODEL_transfer_copy(history + a, s->center + i * d, d);
        MODEL_transfer_copy(history + l + a, s->velocity + i * d, d);
    }
    MODEL_transfer_springs(MODEL_ACTUAL s, next_state, 0, 1, 0);
    for (i = 0; i < MODEL_T_N; ++i) {
        MODEL_transfer_attitude_rate(
            MODEL_ACTUAL next_state + i * MODEL_TRANSFER_STATE, s->z + i * a, s->body + i * MODEL_TRANSFER_BODY,
            omega + i * a, s->motion + i * MODEL_TRANSFER_MOTION);
    }
    s->bias = 1;
    MODEL_transfer_place(MODEL_ACTUAL s);
    MODEL_transfer_solve(MODEL_ACTUAL s, 1, 0);
    for (i = 0; i < MODEL_T_N; ++i) {
        MODEL_real *own = next_state + i * MODEL_TRANSFER_STATE;
        MODEL_real *history = own + MODEL_TRANSFER_BASE;
        MODEL_transfer_point_change(
            MODEL_ACTUAL s->motion + i * MODEL_TRANSFER_MOTION, s->body + i * MODEL_TRANSFER_BODY + 1,
            MODEL_transfer_column(s->dr, d, i, 0), MODEL_transfer_column(s->delta, a, i, 0), change);
        for (k = 0; k < d; ++k) {
            history[2 * l + a + k] = s->center[i * d + k] + change[k];
        }
        MODEL_transfer_start_rotation(
            MODEL_ACTUAL attitude + i * turn, omega + i * a, MODEL_transfer_column(s->delta, a, i, 0), own, history,
            history + l, history + 2 * l);
        MODEL_transfer_copy(history + 3 * l, history + 2 * l, l);
        MODEL_transfer_copy(history + 4 * l, history, l);
        MODEL_transfer_copy(history + 5 * l, history, l);
        MODEL_transfer_copy(history + 6 * l, s->Q + i * d, d);
    }
    MODEL_transfer_copy(
        next_state + MODEL_T_N * MODEL_TRANSFER_STATE, s->multipliers, MODEL_TRANSFER_UNKNOWNS);
    MODEL_transfer_clear(report, 7);
    if (!(s->pivot_ratio > (MODEL_real)1e-13)) {
        report[0] = 3;
    }
    for (i = 0; i < MODEL_TRANSFER_SIZE; ++i) {
        if (!isfinite(next_state[i])) {
            report[0] = 3;
        }
    }
    report[6] = s->pivot_ratio;
}

void MODEL_transfer_matrix_advance(
    MODEL_FORMAL const MODEL_real state[MODEL_TRANSFER_SIZE],
    const MODEL_real scheme[MODEL_TRANSFER_SCHEME],
    MODEL_real steps,
    const MODEL_real loads[MODEL_T_N * MODEL_T_L],
    const MODEL_real settings[4],
    MODEL_real next_state[restrict MODEL_TRANSFER_SIZE],
    MODEL_real report[restrict 7],
    MODEL_real work[restrict MODEL_TRANSFER_WORK])
{
    MODEL_transfer_sweep sweep;
    MODEL_real change = 0;
    int i, iterations = 0, status = 0;
    MODEL_transfer_copy(next_state, state, MODEL_TRANSFER_SIZE);
    MODEL_transfer_clear(report, 7);
    report[6] = 1;
    for (i = 0; i < MODEL_TRANSFER_SCHEME; ++i) {
        if (!isfinite(scheme[i])) {
            status = 5;
        }
    }
    if (status || !(scheme[1] > 0)) {
        report[0] = 5;
        return;
    }
    MODEL_transfer_prepare(MODEL_ACTUAL &sweep, loads, work);
    while (status <= 0 && report[1] < steps) {
        status = MODEL_transfer_one_step(MODEL_ACTUAL &sweep, scheme, settings, next_state, &iterations, &change);
        if (status == 2 && MODEL_TRANSFER_UNKNOWNS > 0 && !(sweep.pivot_ratio > 0)) {
            status = 3;
        }
        report[1] += status <= 0 ? 1 : 0;
        report[2] += (MODEL_real)iterations;
        report[3] = iterations > report[3] ? (MODEL_real)iterations : report[3];
        report[4] = change > report[4] || !isfinite(change) ? change : report[4];
        report[5] += status < 0 ? 1 : 0;
        report[6] = sweep.pivot_ratio < report[6] ? sweep.pivot_ratio : report[6];
    }
    report[0] = (MODEL_real)(status > 0 ? status : 0);
}

void MODEL_step(
    MODEL_FORMAL const MODEL_real state[MODEL_TRANSFER_SIZE],
    MODEL_real h,
    MODEL_real spectral_radius,
    const MODEL_real loads[MODEL_T_N * MODEL_T_L],
    MODEL_real next_state[restrict MODEL_TRANSFER_SIZE],
    MODEL_real report[restrict 7],
    MODEL_real work[restrict MODEL_TRANSFER_WORK])
{
    MODEL_real scheme[MODEL_TRANSFER_SCHEME];
    MODEL_real settings[4];
    const int is_double = sizeof(MODEL_real) >= 8;
    settings[0] = (MODEL_real)((is_double ? 1e-12 : 1e-6) * sqrt((double)MODEL_T_N));
    settings[1] = (MODEL_real)(is_double ? 1e-6 : 1e-3);
    settings[2] = 20;
    settings[3] = 1;
    MODEL_generalised_alpha(MODEL_ACTUAL h > 0 ? h : 0, spectral_radius, scheme);
    MODEL_transfer_matrix_advance(MODEL_ACTUAL state, scheme, 1, loads, settings, next_state, report, work);
}

void MODEL_transfer_matrix_observe(
    MODEL_FORMAL const MODEL_real state[MODEL_TRANSFER_SIZE],
    MODEL_real attitudes[restrict MODEL_T_N * MODEL_T_TURN],
    MODEL_real angular_velocities[restrict MODEL_T_N * MODEL_T_A],
    MODEL_real centers[restrict MODEL_T_N * MODEL_T_D],
    MODEL_real velocities[restrict MODEL_T_N * MODEL_T_D],
    MODEL_real accelerations[restrict MODEL_T_N * MODEL_T_D],
    MODEL_real input_ends[restrict MODEL_T_N * MODEL_T_D],
    MODEL_real forces[restrict MODEL_T_N * MODEL_T_D],
    MODEL_real cut_forces[restrict MODEL_TRANSFER_CUT_FORCES],
    MODEL_real energy[restrict 1],
    MODEL_real closure[restrict 1],
    MODEL_real work[restrict MODEL_TRANSFER_WORK])
{
    const int d = MODEL_T_D, a = MODEL_T_A, l = MODEL_T_L, turn = MODEL_T_TURN;
    const MODEL_real zero[3] = {0, 0, 0};
    MODEL_transfer_sweep sweep;
    MODEL_transfer_sweep *s = &sweep;
    MODEL_real kinetic[1], here[3], there[3];
    int i, k;
    MODEL_transfer_prepare(MODEL_ACTUAL s, 0, work);
    energy[0] = closure[0] = 0;
    for (i = 0; i < MODEL_T_N; ++i) {
        const MODEL_real *own = state + i * MODEL_TRANSFER_STATE;
        const MODEL_real *history = own + MODEL_TRANSFER_BASE;
        MODEL_transfer_copy(s->z + i * a, history, a);
        MODEL_transfer_observe(
            MODEL_ACTUAL s->body + i * MODEL_TRANSFER_BODY, own, history, history + l, history + l + a,
            attitudes + i * turn, angular_velocities + i * a, kinetic);
        MODEL_transfer_attitude(
            MODEL_ACTUAL own, s->z + i * a, s->body + i * MODEL_TRANSFER_BODY, 0, 0, history + l, zero, zero, zero,
            s->motion + i * MODEL_TRANSFER_MOTION);
        MODEL_transfer_copy(s->center + i * d, history + a, d);
        MODEL_transfer_copy(centers + i * d, history + a, d);
        MODEL_transfer_copy(velocities + i * d, history + l + a, d);
        MODEL_transfer_copy(accelerations + i * d, history + 2 * l + a, d);
        MODEL_transfer_copy(forces + i * d, history + 6 * l, d);
        energy[0] += kinetic[0];
        for (k = 0; k < d; ++k) {
            energy[0] -= s->body[i * MODEL_TRANSFER_BODY] * s->gravity[k] * history[a + k];
        }
    }
    MODEL_transfer_free_ends(MODEL_ACTUAL s);
    MODEL_transfer_place(MODEL_ACTUAL s);
    for (i = 0; i < MODEL_T_N; ++i) {
        const int p = MODEL_transfer_parent(s, i);
        const MODEL_real *joint = s->joint + i * MODEL_TRANSFER_JOINT;
        if (a == 1) {
            const MODEL_real angle = attitudes[i] - (p < 0 ? 0 : attitudes[p]) - joint[5];
            const MODEL_real spin = angular_velocities[i] - (p < 0 ? 0 : angular_velocities[p]);
            energy[0] += (joint[2] * angle * angle + joint[4] * spin * spin) / 2;
        }
        for (k = 0; k < d && MODEL_transfer_is_elastic(s, i); ++k) {
            const MODEL_real gap = s->r[i * d + k] - s->inboard[i * d + k] - joint[8 + d + k];
            energy[0] += joint[6] * gap * gap / 2;
        }
    }
    MODEL_transfer_copy(input_ends, s->r, MODEL_T_N * d);
    cut_forces[0] = 0;
    MODEL_transfer_copy(cut_forces, state + MODEL_T_N * MODEL_TRANSFER_STATE, MODEL_TRANSFER_UNKNOWNS);
    for (i = 0; i < MODEL_TRANSFER_CUTS; ++i) {
        const MODEL_real *row = s->cut + i * MODEL_TRANSFER_CUT;
        MODEL_real length = 0;
        MODEL_transfer_cut_point(MODEL_ACTUAL s, i, 0, here);
        MODEL_transfer_cut_point(MODEL_ACTUAL s, i, 1, there);
        for (k = 0; k < d; ++k) {
            length += (here[k] - there[k]) * (here[k] - there[k]);
        }
        length = (MODEL_real)sqrt(length);
        if (row[0] > (MODEL_real)0.5) {
            energy[0] += row[3] * (length - row[5]) * (length - row[5]) / 2;
        } else if (length > closure[0]) {
            closure[0] = length;
        }
    }
}
