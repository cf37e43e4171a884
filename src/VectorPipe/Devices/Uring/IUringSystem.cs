namespace VectorPipe.Devices.Uring;

/// <summary>The system calls of io_uring: the seam at which tests inject faults that a healthy kernel does not show.</summary>
/// <remarks>Nothing throws: a negative value is -errno. Implementations are thread-safe.</remarks>
internal unsafe interface IUringSystem
{
    /// <summary>io_uring_setup(2): the ring's descriptor, or -errno.</summary>
    int Setup(uint entries, IoUringParams* parameters);

    /// <summary>io_uring_enter(2): entries consumed, or -errno.</summary>
    int Enter(int fd, uint toSubmit, uint minComplete, uint flags, void* argument, nuint argumentSize);

    /// <summary>io_uring_register(2): 0 or a count, or -errno.</summary>
    int Register(int fd, uint operation, void* argument, uint count);

    /// <summary>mmap(2) of a part of the ring, shared and writable: its address, or -errno.</summary>
    nint Map(int fd, long offset, nuint length);

    /// <summary>munmap(2).</summary>
    void Unmap(nint address, nuint length);

    /// <summary>close(2) of the ring's descriptor.</summary>
    void Close(int fd);
}
