// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// Video4Linux2 for Swift, and just what Swift cannot import by itself: each with its reason. Prefix: cv4l2_.
// Structures, their unions, enumerations and plain constants import as they are.

#ifndef CVIDEO4LINUX_SHIM_H
#define CVIDEO4LINUX_SHIM_H

#include <linux/videodev2.h>
#include <sys/sysmacros.h>
#include <sys/types.h>

// VIDIOC_* are macros over _IOR and friends, which take the size of a type: Swift does not import them.
static const unsigned long cv4l2_querycap = VIDIOC_QUERYCAP;
static const unsigned long cv4l2_enum_fmt = VIDIOC_ENUM_FMT;
static const unsigned long cv4l2_enum_framesizes = VIDIOC_ENUM_FRAMESIZES;
static const unsigned long cv4l2_enum_frameintervals = VIDIOC_ENUM_FRAMEINTERVALS;
static const unsigned long cv4l2_try_fmt = VIDIOC_TRY_FMT;
static const unsigned long cv4l2_query_ext_ctrl = VIDIOC_QUERY_EXT_CTRL;
static const unsigned long cv4l2_queryctrl = VIDIOC_QUERYCTRL;
static const unsigned long cv4l2_querymenu = VIDIOC_QUERYMENU;
static const unsigned long cv4l2_g_ext_ctrls = VIDIOC_G_EXT_CTRLS;
static const unsigned long cv4l2_s_ext_ctrls = VIDIOC_S_EXT_CTRLS;
static const unsigned long cv4l2_g_ctrl = VIDIOC_G_CTRL;
static const unsigned long cv4l2_s_ctrl = VIDIOC_S_CTRL;

// major() is a macro, and its header is no part of Swift's Glibc.
static inline unsigned int cv4l2_major(dev_t device) { return major(device); }

#endif
