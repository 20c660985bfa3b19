#include "experiments/command.h"
