using VectorPipe.Model.Errors;

namespace VectorPipe.Devices.Native;

/// <summary>What a user can do about a device that cannot be had.</summary>
internal static class DeviceAdvice
{
    /// <summary>Text of a refused io_uring_setup(2); the errno's own description follows it.</summary>
    public static string ForSetup(int errno) => errno switch
    {
        Errno.EPERM => "io_uring_setup was forbidden: check sysctl kernel.io_uring_disabled (0 allows it), "
            + "the container's seccomp profile (allow io_uring_setup, io_uring_enter and io_uring_register), or use the portable device",
        Errno.ENOSYS => "io_uring_setup is not known here: the kernel is older than 5.1 or the sandbox hides it; use the portable device",
        Errno.ENOMEM => "io_uring_setup got no memory: raise the locked-memory limit (ulimit -l), lower the queue capacity, "
            + "or use the portable device",
        _ => "io_uring_setup failed",
    };
}
