namespace VectorPipe.Quantization;

/// <summary>Stored bytes that should be a quantizer are not, or are damaged.</summary>
internal sealed class QuantizerFormatException(string message) : VectorPipeException(message);
