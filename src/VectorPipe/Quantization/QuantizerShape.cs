using VectorPipe.Model;

namespace VectorPipe.Quantization;

/// <summary>Which vectors a quantizer codes, and how.</summary>
/// <param name="Dimension">Components of a vector.</param>
/// <param name="CodeBytes">Bytes of a code.</param>
/// <param name="Kind">How codes are made.</param>
internal readonly record struct QuantizerShape(int Dimension, int CodeBytes, CodeKind Kind);
