namespace VectorPipe.Model.Errors;

/// <summary>Linux error numbers that the library acts on or names.</summary>
internal static class Errno
{
    public const int EPERM = 1;
    public const int ENOENT = 2;
    public const int EINTR = 4;
    public const int EIO = 5;
    public const int ENXIO = 6;
    public const int EBADF = 9;
    public const int EAGAIN = 11;
    public const int ENOMEM = 12;
    public const int EACCES = 13;
    public const int EFAULT = 14;
    public const int EBUSY = 16;
    public const int EEXIST = 17;
    public const int EINVAL = 22;
    public const int ENOSPC = 28;
    public const int ENOSYS = 38;
    public const int ETIME = 62;
    public const int EOPNOTSUPP = 95;
    public const int ECANCELED = 125;

    /// <summary>The name alone, for few distinct values in metrics.</summary>
    public static string NameOf(int errno) => Describe(errno).Split(" (")[0];

    /// <summary>Name and number, as a person would look it up.</summary>
    public static string Describe(int errno) => errno switch
    {
        EPERM => "EPERM (1): not permitted",
        ENOENT => "ENOENT (2): no such file",
        EINTR => "EINTR (4): interrupted",
        EIO => "EIO (5): input/output error",
        ENXIO => "ENXIO (6): no such device",
        EBADF => "EBADF (9): bad file descriptor",
        EAGAIN => "EAGAIN (11): try again",
        ENOMEM => "ENOMEM (12): out of memory",
        EACCES => "EACCES (13): permission denied",
        EFAULT => "EFAULT (14): bad address",
        EBUSY => "EBUSY (16): busy",
        EEXIST => "EEXIST (17): exists",
        EINVAL => "EINVAL (22): invalid argument",
        ENOSPC => "ENOSPC (28): no space left",
        ENOSYS => "ENOSYS (38): not implemented by this kernel",
        ETIME => "ETIME (62): timed out",
        EOPNOTSUPP => "EOPNOTSUPP (95): not supported",
        ECANCELED => "ECANCELED (125): cancelled",
        _ => $"errno {errno}",
    };
}
